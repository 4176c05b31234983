/** What tells repositories apart and gives them their names: the origin without all that only says how it is reached. */

/**
 * Without scheme, user, port and `.git`: two that are the same here are the same repository.
 *
 * @param resolved the real path of one that is a folder of this machine.
 * @example normalOrigin('git@GitHub.com:shop/web.git', (path) => path) // 'github.com/shop/web'
 */
export function normalOrigin(url: string, resolved: (path: string) => string): string | undefined {
  if (/^[\w+.-]+::/.test(url)) return undefined // the address of a program, in whatever form that has
  const [, scheme, rest = ''] = /^([a-z][a-z\d+.-]*):\/\/(.*)$/is.exec(url) ?? []
  if (scheme?.toLowerCase() === 'file') return localOrigin(rest.replace(/^[^/]+/, ''), resolved)
  if (scheme !== undefined) return remoteOrigin(rest.replace(/[?#].*$/s, ''), '/')
  return /^[^/]*:/.test(url) ? remoteOrigin(url, ':') : localOrigin(url, resolved)
}

/** @param separator what stands between the host and the path. */
function remoteOrigin(address: string, separator: '/' | ':'): string | undefined {
  const [authority = ''] = address.split('/', 1)
  const place = address.slice(authority.lastIndexOf('@') + 1) // a password may hold an @
  const [, host = '', path = ''] =
    (separator === '/'
      ? /^(\[[^\]]*\]|[^/:]*)(?::\d*)?(?:\/(.*))?$/s
      : /^(\[[^\]]*\]|[^/:]*):(.*)$/s
    ).exec(place) ?? []
  return host === '' ? undefined : `${host.toLowerCase()}/${withoutEnd(path)}`
}

const localOrigin = (path: string, resolved: (path: string) => string): string | undefined =>
  path === '' ? undefined : `/${withoutEnd(resolved(path))}`

const withoutEnd = (path: string): string =>
  path
    .replaceAll(/\/{2,}/g, '/')
    .replace(/^\/|\/$/g, '')
    .replace(/\.git$/, '')

/** As it is compared: `web/.git` gives no name, hence the slash that is left of it, and is the repository `web` all the same. */
export const comparedOrigin = (origin: string): string => origin.replace(/(?<=\/.+)\/$/s, '')

const longestName = 90

/** The name of a repository's project, unless another has it: by its file, else by its origin, else by its folder. */
export function projectNameOf({
  origin,
  folder,
  wished,
}: {
  origin?: string | undefined
  folder: string
  wished?: string | undefined
}): string {
  if (wished !== undefined) return wished.slice(0, longestName)
  const [, ...parts] = origin?.split('/') ?? []
  return plainName(parts.at(-1) ?? '') ?? plainName(folder) ?? 'default'
}

/** Nothing where nothing is left that could be a name. */
function plainName(text: string): string | undefined {
  const name = text.replaceAll(/[^A-Za-z0-9._-]/gu, '-').slice(0, longestName)
  return /^\.{0,2}$/.test(name) ? undefined : name
}
