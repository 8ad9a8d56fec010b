import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import postgres from 'postgres'
import { freePort } from './vitest.free-port.ts'
import { pgbouncerPath } from './vitest.optional-programs.ts'
import { pooledLimits } from './vitest.pooled-database.ts'

export type PoolMode = 'session' | 'transaction'

/** A running PgBouncer in front of a PostgreSQL server. */
export interface PgBouncer {
  readonly port: number
  stop(): Promise<void>
}

/** The settings that the role of PgBouncer needs in transaction mode, with the limits of test hosts. */
export const roleSettings = {
  search_path: 'pg_catalog, pg_temp',
  statement_timeout: pooledLimits.statementTimeoutMs,
  lock_timeout: pooledLimits.lockTimeoutMs,
  idle_in_transaction_session_timeout: pooledLimits.idleInTransactionTimeoutMs,
}

/** Starts Debian's PgBouncer for all databases of a server. It connects as a new role with `settings`. */
export async function startPgBouncer(
  adminUrl: string,
  mode: PoolMode,
  settings: Readonly<Record<string, string | number>> = mode === 'transaction' ? roleSettings : {},
): Promise<PgBouncer> {
  const { hostname, port: serverPort, password } = new URL(adminUrl)
  const port = await freePort()
  const role = `pooled_${randomBytes(6).toString('hex')}`
  const admin = postgres(adminUrl, { max: 1, fetch_types: false, onnotice: () => {} })
  await admin.unsafe(`create role ${role} superuser login password '${password}'`)
  for (const [name, value] of Object.entries(settings)) {
    await admin.unsafe(`alter role ${role} set ${name} = ${value}`)
  }
  await admin.end()
  const folder = await mkdtemp(join(tmpdir(), 'pgbouncer-'))
  const file = join(folder, 'pgbouncer.ini')
  await writeFile(
    file,
    `[databases]
* = host=${hostname} port=${serverPort} user=${role} password=${password}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 2000
default_pool_size = 60
server_lifetime = 60
server_idle_timeout = 5
`,
  )
  // PgBouncer does not run as root.
  await chmod(folder, 0o755)
  const user = process.getuid?.() === 0 ? ['--user', 'nobody'] : []
  const child = spawn(pgbouncerPath, ['--quiet', ...user, file], { stdio: 'ignore' })
  const ended = once(child, 'close')
  await acceptsConnections(port)
  return {
    port,
    async stop() {
      child.kill('SIGKILL')
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

async function acceptsConnections(port: number): Promise<void> {
  for (;;) {
    const socket = createConnection({ port, host: '127.0.0.1' })
    const isOpen = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    if (isOpen) return
    await delay(20)
  }
}
