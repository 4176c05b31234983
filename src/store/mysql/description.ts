/** How a server that speaks MySQL's protocol is set up, as it tells it itself. */

import type { Cluster, Reader, ServerDescription } from '../store.ts'
import type { Capabilities } from './engine.ts'

export async function describeServer(
  reader: Reader,
  able: Capabilities,
  isEncrypted: boolean,
): Promise<ServerDescription> {
  const cipher = (await told(reader, "SHOW STATUS LIKE 'Ssl_cipher'")).get('Ssl_cipher')
  return {
    collation: able.collation,
    is_durable: await isDurable(reader),
    tls: isEncrypted ? { cipher: cipher || null } : null,
    cluster: able.isCluster ? await clusterOf(reader) : null,
  }
}

/** Only what delays its commits on purpose knows this setting. */
async function isDurable(reader: Reader): Promise<boolean> {
  const name = 'innodb_flush_log_at_trx_commit'
  const value = (await told(reader, `SHOW VARIABLES LIKE '${name}'`)).get(name)
  return value === undefined || value === '1'
}

async function clusterOf(reader: Reader): Promise<Cluster> {
  const status = await told(reader, "SHOW STATUS LIKE 'wsrep_%'")
  return {
    nodes: Number(status.get('wsrep_cluster_size')),
    status: status.get('wsrep_cluster_status') ?? 'unknown',
    node_state: status.get('wsrep_local_state_comment') ?? 'unknown',
  }
}

async function told(reader: Reader, statement: string): Promise<Map<string, string>> {
  const rows = await reader.all(statement)
  return new Map(rows.map((row) => [String(row.Variable_name), String(row.Value)]))
}
