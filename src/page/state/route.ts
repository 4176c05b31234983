/** Where one is: the project, the view, and what of it; all of it stands in the address, so that it can be kept and sent. */
import { computed, signal } from '@preact/signals'

export const views = [
  { view: 'needs', title: 'Needs you', key: 'n' },
  { view: 'agents', title: 'Agents', key: 'a' },
  { view: 'messages', title: 'Messages', key: 'm' },
  { view: 'files', title: 'Files', key: 'f' },
  { view: 'timeline', title: 'Time line', key: 't' },
  { view: 'approvals', title: 'Approvals', key: 'p' },
  { view: 'mail', title: 'Mail', key: 'e' },
  { view: 'setup', title: 'Set up', key: 's' },
] as const
export type ViewName = (typeof views)[number]['view'] | 'search'

export interface Route {
  /** Nothing: all of them. */
  project: string | null
  view: ViewName
  /** What of the view is open: an id, a path, a name. */
  id: string | null
  query: Record<string, string>
}

/** Stands for all projects; one that is really called so is written %2A. */
const all = '*'

function read(): Route {
  const [path = '', search = ''] = location.hash.replace(/^#\/?/, '').split('?', 2)
  const [project = '', view = '', ...rest] = path.split('/')
  const known = [...views.map((one) => one.view), 'search' as const].find((one) => one === view)
  return {
    project: project === '' || project === all ? null : decoded(project),
    view: known ?? 'needs',
    id: rest.length > 0 && rest.join('/') !== '' ? decoded(rest.join('/')) : null,
    query: Object.fromEntries(new URLSearchParams(search)),
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** @example addressOfView({ project: 'api', view: 'messages', id: '123' }) // '#/api/messages/123' */
export function addressOfView({
  project = route.peek().project,
  view,
  id = null,
  query = {},
}: Partial<Route> & { view: ViewName }): string {
  const name = project === null ? all : encodeURIComponent(project).replaceAll('*', '%2A')
  const what = id === null ? '' : `/${encodeURIComponent(id).replaceAll('%2F', '/')}`
  const given = Object.entries(query).filter(([, value]) => value !== '')
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : ''
  return `#/${name}/${view}${what}${search}`
}

export const route = signal<Route>(read())
export const project = computed(() => route.value.project)

/** Opens one thing beside its list: where that is of all projects it stays so, and the thing's own project is named apart. */
export function addressInList(of: string, view: ViewName, id: string): string {
  const { project, view: here, query } = route.value
  if (here !== view) return addressOfView({ project: of, view, id })
  const isOfAll = project === null
  return addressOfView({
    ...{ project: isOfAll ? null : of, view, id },
    query: { ...query, of: isOfAll ? of : '' },
  })
}

/** The project of what is open beside a list. */
export const projectOfOpen = computed(() => route.value.project ?? route.value.query.of ?? null)

/** The list alone. */
export const addressOfList = (view: ViewName): string =>
  addressOfView({ view, query: { ...route.value.query, of: '' } })

export function go(to: Partial<Route> & { view: ViewName }): void {
  location.hash = addressOfView(to)
}

addEventListener('hashchange', () => {
  route.value = read()
})

/** The same without a step for the way back. */
export function change(query: Record<string, string>): void {
  const here = route.peek()
  history.replaceState(null, '', addressOfView({ ...here, query: { ...here.query, ...query } }))
  route.value = read()
}
