/** The settings of a Dovecot that a test starts: small, quick, and able to run anywhere, as root or not. */
import { join } from 'node:path'
import type { DovecotOptions } from './dovecot.ts'

/** Whom the mails belong to; with names where all of Dovecot runs as this user. */
export interface Owner {
  uid: number
  gid: number
  user?: string
  group?: string
}

interface Place {
  folder: string
  port: number
  securePort: number
  password: string
  owner: Owner
}

/** What Dovecot 2.3 can do after the login. */
const capabilities =
  'IMAP4rev1 SASL-IR LOGIN-REFERRALS ID ENABLE IDLE SORT SORT=DISPLAY THREAD=REFERENCES THREAD=REFS THREAD=ORDEREDSUBJECT MULTIAPPEND URL-PARTIAL CATENATE UNSELECT CHILDREN NAMESPACE UIDPLUS LIST-EXTENDED I18NLEVEL=1 CONDSTORE QRESYNC ESEARCH ESORT SEARCHRES WITHIN CONTEXT=SEARCH LIST-STATUS BINARY MOVE SNIPPET=FUZZY PREVIEW=FUZZY PREVIEW STATUS=SIZE SAVEDATE LITERAL+ NOTIFY SPECIAL-USE'

const special = { Sent: '\\Sent', Drafts: '\\Drafts', Junk: '\\Junk', Trash: '\\Trash' }

/** Its files, by their names. */
export function dovecotSettings(place: Place, options: DovecotOptions): Record<string, string> {
  return {
    'dovecot.conf': mainFile(place, options),
    // Everything but what flags of one's own need.
    acl: '* owner lrstipekxa\n',
  }
}

function mainFile({ folder, port, securePort, password, owner }: Place, options: DovecotOptions) {
  const { separator = '/', prefix = '', without = [], connections = 100 } = options
  const layout = separator === '/' ? ':LAYOUT=fs' : ''
  const folders = options.withoutFolders ? [] : Object.entries(special)
  const left = capabilities.split(' ').filter((word) => !without.includes(word))
  return `
protocols = imap
listen = 127.0.0.1
base_dir = ${join(folder, 'run')}
state_dir = ${join(folder, 'state')}
log_path = /dev/stderr
${options.tls ? `ssl = yes\nssl_cert = <${join(folder, 'cert.pem')}\nssl_key = <${join(folder, 'key.pem')}` : 'ssl = no'}
disable_plaintext_auth = no
auth_mechanisms = plain login xoauth2
auth_failure_delay = ${options.failureDelay ?? 0} s
${options.shortNames ? 'auth_username_chars = abcdefghijklmnopqrstuvwxyz' : ''}
first_valid_uid = 1
mail_location = maildir:~/Maildir${layout}
mail_fsync = never
mail_max_userip_connections = ${connections}
${owner.user ? `default_internal_user = ${owner.user}\ndefault_login_user = ${owner.user}\ndefault_internal_group = ${owner.group}` : ''}
passdb {
  driver = static
  args = password=${password}
}
userdb {
  driver = static
  args = uid=${owner.uid} gid=${owner.gid} home=${join(folder, 'home')}/%u
}
namespace inbox {
  inbox = yes
  separator = ${separator}
  prefix = ${prefix}
  ${folders.map(([name, use]) => `mailbox ${name} {\n    auto = subscribe\n    special_use = ${use}\n  }`).join('\n  ')}
}
service imap-login {
  chroot =
  service_count = 0
  client_limit = 500
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${options.tls ? securePort : 0}
    ssl = yes
  }
}
service imap {
  process_limit = 200
}
service anvil {
  chroot =
  # Who was wrong once does not wait the next time.
  unix_listener anvil-auth-penalty {
    mode = 0
  }
}
service stats {
  chroot =
}
${without.length > 0 ? `imap_capability = ${left.join(' ')}` : ''}
${options.withoutKeywords ? `mail_plugins = acl\nplugin {\n  acl = vfile:${join(folder, 'acl')}\n}` : ''}
`
}
