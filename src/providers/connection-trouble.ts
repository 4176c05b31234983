/** What is wrong with a connection to a mail server, in plain words, by the codes of Node. The server's own words are not passed on. */

export interface ConnectionTrouble {
  says: string
  next: string
  /** There is no TLS that can be trusted, and to try again would not help. */
  isUnsafe: boolean
  isLate: boolean
}

/** Our own code for a server without STARTTLS, for which nobody has one. */
export const noStartTls = 'NO_STARTTLS'

type Row = [codes: RegExp, trouble: ConnectionTrouble]

const other = (says: string, next: string): ConnectionTrouble => ({
  ...{ says, next },
  ...{ isUnsafe: false, isLate: false },
})

const unsafe = (why: string, next: string): ConnectionTrouble => ({
  ...other(`there is no safe connection to the mail server${why && `: ${why}`}`, next),
  isUnsafe: true,
})

const ownAuthority = 'NODE_EXTRA_CA_CERTS adds an authority of your own.'
const checkServer = 'Check the host and the port, and whether the server runs.'
const checkPort =
  'Check the port: imaps:// and smtps:// are for TLS from the start (993, 465), imap:// and smtp:// for STARTTLS (143, 587).'

const rows: Row[] = [
  [
    // First: the words for a connection that was safe, and has ended, have TLS in them.
    /^(?:ClosedAfterConnect\w*|NoConnection|EConnectionClosed|ECONNRESET|ECONNABORTED|ECONNECTION|EPIPE|ETLS)$/,
    other(
      'the mail server hung up',
      'Try again in a few minutes: servers hang up on too many connections or failed logins.',
    ),
  ],
  [
    /TIMEOUT|TIMEDOUT|^ABORTED$/,
    { ...other('the mail server did not answer in time', checkServer), isLate: true },
  ],
  [/^ENOTFOUND$/, other('the name of the mail server does not exist', 'Check the host.')],
  [
    /^EAI_/,
    other('the name of the mail server could not be looked up', 'Check the network and the host.'),
  ],
  [/^ECONNREFUSED$/, other('nobody listens at the port of the mail server', checkServer)],
  [
    /^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL)$/,
    other('there is no way to the mail server', 'Check the network and the host.'),
  ],
  [/^EPROTOCOL$/, other('what answers there does not speak as a mail server does', checkServer)],
  [
    /^DEPTH_ZERO_SELF_SIGNED_CERT$/,
    unsafe(
      'its certificate is self-signed',
      'If it is a server of your own, NODE_EXTRA_CA_CERTS names the file of a certificate to trust.',
    ),
  ],
  [
    /^(?:SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT\w*|CERT_UNTRUSTED)$/,
    unsafe('its certificate is of an authority that is not known', ownAuthority),
  ],
  [
    /^CERT_HAS_EXPIRED$/,
    unsafe('its certificate has expired', 'Ask who runs it; check the clock of this machine too.'),
  ],
  [
    /^CERT_NOT_YET_VALID$/,
    unsafe('its certificate is not valid yet', 'Check the clock of this machine.'),
  ],
  [
    /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    unsafe(
      'its certificate is for another name',
      'Use the name of the server that its certificate has.',
    ),
  ],
  [
    /^(?:EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|ERR_SSL_PACKET_LENGTH_TOO_LONG)$/,
    unsafe('it speaks no TLS at that port', checkPort),
  ],
  [RegExp(`^${noStartTls}$`), unsafe('it has no STARTTLS at that port', checkPort)],
  [/CERT|SSL|TLS|SIGNATURE/, unsafe('', `Check its TLS and its certificate; ${ownAuthority}`)],
]

const unreachable = other('the mail server cannot be reached', checkServer)

/** @param code of Node or of the library, or empty where there is none. */
export const connectionTrouble = (code: string): ConnectionTrouble =>
  rows.find(([codes]) => codes.test(code))?.[1] ?? unreachable
