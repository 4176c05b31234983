/** The tables, as numbered migrations. */
import type { TextKeys } from './store.ts'

/** A statement for every engine, or one for each way in which engines keep texts in their indexes. */
export type Migration = (string | Partial<Record<TextKeys, string>>)[]

/**
 * Types that every engine knows; uniqueness in primary keys alone; an index for each query that
 * needs one. Never change a migration that was released: add one.
 */
export const migrations: Migration[] = [
  [
    `CREATE TABLE projects (
      project VARCHAR(100) NOT NULL,
      last_message BIGINT NOT NULL,
      last_change BIGINT NOT NULL,
      last_entry BIGINT NOT NULL,
      last_us BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project))`,
    `CREATE TABLE agents (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      name VARCHAR(255) NOT NULL,
      role VARCHAR(255) NOT NULL,
      registered_us BIGINT NOT NULL,
      PRIMARY KEY (project, agent_id))`,
    `CREATE TABLE presence (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      last_seen_us BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project, agent_id))`,
    `CREATE TABLE messages (
      project VARCHAR(100) NOT NULL,
      id BIGINT NOT NULL,
      created_us BIGINT NOT NULL,
      sender_id CHAR(36) NOT NULL,
      sender_name VARCHAR(255) NOT NULL,
      channel VARCHAR(255) NOT NULL,
      subject VARCHAR(255) NOT NULL,
      body MEDIUMTEXT NOT NULL,
      PRIMARY KEY (project, id))`,
    'CREATE INDEX messages_by_channel ON messages (project, channel, id)',
    'CREATE INDEX messages_by_time ON messages (project, created_us)',
    `CREATE TABLE file_claims (
      project VARCHAR(100) NOT NULL,
      path_hash CHAR(64) NOT NULL,
      file_path VARCHAR(1024) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      agent_name VARCHAR(255) NOT NULL,
      claimed_us BIGINT NOT NULL,
      PRIMARY KEY (project, path_hash))`,
    `CREATE TABLE changes (
      project VARCHAR(100) NOT NULL,
      id BIGINT NOT NULL,
      announced_us BIGINT NOT NULL,
      agent_id CHAR(36) NOT NULL,
      agent_name VARCHAR(255) NOT NULL,
      file_path VARCHAR(1024) NOT NULL,
      summary MEDIUMTEXT NOT NULL,
      PRIMARY KEY (project, id))`,
    'CREATE INDEX changes_by_agent ON changes (project, agent_id, id)',
    'CREATE INDEX changes_by_time ON changes (project, announced_us)',
    `CREATE TABLE idempotency_keys (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      tool VARCHAR(32) NOT NULL,
      key_hash CHAR(64) NOT NULL,
      content_hash CHAR(64) NOT NULL,
      result_id BIGINT NOT NULL,
      PRIMARY KEY (project, agent_id, tool, key_hash))`,
    `CREATE TABLE journal (
      project VARCHAR(100) NOT NULL,
      entry BIGINT NOT NULL,
      at_us BIGINT NOT NULL,
      agent_id CHAR(36) NOT NULL,
      agent_name VARCHAR(255) NOT NULL,
      event VARCHAR(32) NOT NULL,
      file_path VARCHAR(1024),
      message_id BIGINT,
      change_id BIGINT,
      note VARCHAR(255),
      PRIMARY KEY (project, entry))`,
  ],
  [
    `CREATE TABLE sends (
      scope CHAR(64) NOT NULL,
      key_hash CHAR(64) NOT NULL,
      id VARCHAR(32) NOT NULL,
      state VARCHAR(16) NOT NULL,
      token CHAR(36) NOT NULL,
      holder VARCHAR(64) NOT NULL,
      until_ms BIGINT NOT NULL,
      begun_ms BIGINT NOT NULL,
      changed_ms BIGINT NOT NULL,
      content_hash CHAR(64) NOT NULL,
      provider VARCHAR(16) NOT NULL,
      service_key VARCHAR(64),
      recipients MEDIUMTEXT NOT NULL,
      subject MEDIUMTEXT NOT NULL,
      audited_at VARCHAR(40),
      message_id VARCHAR(1024),
      thread_id VARCHAR(255),
      sent_at VARCHAR(64),
      draft VARCHAR(2048),
      reason VARCHAR(1024),
      PRIMARY KEY (scope, key_hash))`,
    'CREATE INDEX sends_by_id ON sends (id)',
    'CREATE INDEX sends_by_time ON sends (begun_ms)',
  ],
  [
    `CREATE TABLE draft_notes (
      vault CHAR(64) NOT NULL,
      draft_key VARCHAR(64) NOT NULL,
      scope CHAR(64) NOT NULL,
      key_hash CHAR(64) NOT NULL,
      name MEDIUMTEXT NOT NULL,
      sha256 CHAR(64) NOT NULL,
      approval_id VARCHAR(64),
      reply_to_message_id MEDIUMTEXT,
      begun_ms BIGINT NOT NULL,
      attempts BIGINT NOT NULL,
      next_ms BIGINT NOT NULL,
      is_vague BIGINT NOT NULL,
      ended_at VARCHAR(40),
      reason MEDIUMTEXT,
      filed_to MEDIUMTEXT,
      is_filed BIGINT NOT NULL,
      PRIMARY KEY (vault, draft_key))`,
  ],
  [
    `CREATE TABLE horizons (
      project VARCHAR(100) NOT NULL,
      pruned_us BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project))`,
    'ALTER TABLE idempotency_keys ADD COLUMN used_us BIGINT',
  ],
  [
    'CREATE INDEX claims_by_agent ON file_claims (project, agent_id)',
    { any: 'CREATE INDEX claims_by_path ON file_claims (project, file_path)' },
  ],
  [
    'ALTER TABLE presence ADD COLUMN leaving BIGINT',
    {
      whole: 'CREATE INDEX claims_by_path ON file_claims (project, file_path)',
      beginnings: 'CREATE INDEX claims_by_path ON file_claims (project, file_path(255))',
    },
    // Once more: on Dolt, earlier versions took every index for one that is there already.
    ...[
      'CREATE INDEX messages_by_channel ON messages (project, channel, id)',
      'CREATE INDEX messages_by_time ON messages (project, created_us)',
      'CREATE INDEX changes_by_agent ON changes (project, agent_id, id)',
      'CREATE INDEX changes_by_time ON changes (project, announced_us)',
      'CREATE INDEX sends_by_id ON sends (id)',
      'CREATE INDEX sends_by_time ON sends (begun_ms)',
      'CREATE INDEX claims_by_agent ON file_claims (project, agent_id)',
    ].map((whole) => ({ whole })),
  ],
  [
    `CREATE TABLE marks (
      project VARCHAR(100) NOT NULL,
      agent_id CHAR(36) NOT NULL,
      channel VARCHAR(255) NOT NULL,
      last_id BIGINT NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project, agent_id, channel))`,
    `CREATE TABLE receipts (
      project VARCHAR(100) NOT NULL,
      message_id BIGINT NOT NULL,
      notified_us BIGINT,
      read_us BIGINT,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project, message_id))`,
    'CREATE INDEX agents_by_name ON agents (project, name, registered_us)',
    'CREATE INDEX messages_by_sender_name ON messages (project, sender_name, id)',
    'ALTER TABLE messages ADD COLUMN by_mailbox BIGINT',
  ],
  [
    `CREATE TABLE project_names (
      name VARCHAR(100) NOT NULL,
      project VARCHAR(100) NOT NULL,
      PRIMARY KEY (name))`,
    `CREATE TABLE repositories (
      project VARCHAR(100) NOT NULL,
      name VARCHAR(100) NOT NULL,
      token CHAR(36) NOT NULL,
      PRIMARY KEY (project))`,
    `CREATE TABLE project_origins (
      origin_hash CHAR(64) NOT NULL,
      origin MEDIUMTEXT NOT NULL,
      project VARCHAR(100) NOT NULL,
      PRIMARY KEY (origin_hash))`,
    `CREATE TABLE project_roots (
      machine CHAR(36) NOT NULL,
      root_hash CHAR(64) NOT NULL,
      root MEDIUMTEXT NOT NULL,
      project VARCHAR(100) NOT NULL,
      PRIMARY KEY (machine, root_hash))`,
  ],
  ['ALTER TABLE presence ADD COLUMN place VARCHAR(255)'],
]
