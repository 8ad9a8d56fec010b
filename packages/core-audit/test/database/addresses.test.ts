import { chmod, chown, copyFile, mkdtemp, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DatabaseConfig } from '@vertical-kit/core-audit/database'
import type { PostgresServer } from '@vertical-kit/dev-services'
import { sql } from 'drizzle-orm/sql'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { type StandbyPair, startStandbyPair } from '../../../../vitest.standby.ts'
import { runDoctor } from '../doctor/run-doctor.ts'
import { openPool, refusalOf, runSql } from '../harness.ts'
import { createAuthority, createServerCertificate } from './certificates.ts'

// These tests use separate servers: a primary with TLS and a Unix socket, and a standby with its data.
let folder: string
let pair: StandbyPair
let primary: PostgresServer
let standby: PostgresServer

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'addresses-'))
  // The account of the server is not the account of this process if that is root.
  await chmod(folder, 0o777)
  await createAuthority(folder, 'authority')
  await createAuthority(folder, 'stranger')
  await createServerCertificate(folder, 'authority', 'DNS:localhost')
  pair = await startStandbyPair(enableTls, { unix_socket_directories: folder })
  primary = pair.primary
  standby = pair.standby
})
afterAll(async () => {
  await pair.stop()
  await rm(folder, { recursive: true })
})

/** Installs the certificate of the folder. The server uses it after its next start. */
async function enableTls({ adminUrl, directory }: PostgresServer): Promise<void> {
  const data = join(directory, 'data')
  const { uid, gid } = await stat(data)
  for (const name of ['server.key', 'server.crt']) {
    await copyFile(join(folder, name), join(data, name))
    await chown(join(data, name), uid, gid)
    await chmod(join(data, name), 0o600)
  }
  await runSql(adminUrl, 'alter system set ssl = on')
}

/** Connects to an address and returns facts about the session. */
async function connect(url: string, config: Partial<DatabaseConfig> = {}) {
  const [row] = await openPool(url, { poolMax: 1, ...config }).read((db) =>
    db.execute<{ port: number; who: string; isStandby: boolean; isEncrypted: boolean; isLocal: boolean }>(sql`
      select current_setting('port')::int as port, current_user as who, pg_is_in_recovery() as "isStandby",
        ssl as "isEncrypted", inet_client_addr() is null as "isLocal"
      from pg_stat_ssl where pid = pg_backend_pid()`),
  )
  return row
}

/** Returns the superuser's address of the primary with another host and parameters. */
function address(host: string, parameters = ''): string {
  return `${primary.adminUrl.replace('127.0.0.1', host)}${parameters}`
}

/** Returns the reason for which an address is refused. */
async function reasonOf(url: string): Promise<unknown> {
  const error: unknown = await connect(url).catch((reason: unknown) => reason)
  const { code, cause } = error as { code?: string; cause?: { code?: string } }
  return cause?.code ?? code
}

describe('TLS', () => {
  const authority = () => `sslrootcert=${join(folder, 'authority.crt')}`

  test.each(['prefer', 'require'])('sslmode=%s encrypts the connection', async (mode) => {
    expect(await connect(address('127.0.0.1', `?sslmode=${mode}`))).toMatchObject({ isEncrypted: true })
  })

  test('without sslmode and with sslmode=disable, the connection is not encrypted', async () => {
    expect(await connect(address('127.0.0.1'))).toMatchObject({ isEncrypted: false })
    expect(await connect(address('127.0.0.1', '?sslmode=disable'))).toMatchObject({ isEncrypted: false })
  })

  test('verify-full accepts the host name of the certificate', async () => {
    const url = address('localhost', `?sslmode=verify-full&${authority()}`)
    expect(await connect(url)).toMatchObject({ isEncrypted: true })
  })

  test('verify-full refuses an address that the certificate does not name; verify-ca accepts it', async () => {
    const url = (mode: string) => address('127.0.0.1', `?sslmode=${mode}&${authority()}`)
    expect(await reasonOf(url('verify-full'))).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    expect(await connect(url('verify-ca'))).toMatchObject({ isEncrypted: true })
  })

  test.each(['verify-ca', 'verify-full'])('%s refuses a certificate of another authority', async (mode) => {
    const stranger = `sslrootcert=${join(folder, 'stranger.crt')}`
    expect(await reasonOf(address('localhost', `?sslmode=${mode}&${stranger}`))).toBe(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    )
    expect(await reasonOf(address('localhost', '?sslmode=verify-full'))).toBe(
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    )
  })

  test('a file of authorities that disappears makes new connections unavailable', async () => {
    const authorities = join(folder, 'replaced.crt')
    await copyFile(join(folder, 'authority.crt'), authorities)
    const database = openPool(address('localhost', `?sslmode=verify-full&sslrootcert=${authorities}`))
    await rm(authorities)
    const refused = database.read((db) => db.execute(sql`select 1`))
    expect(await refusalOf(refused)).toBe('service.unavailable')
  })

  test.each(['require', 'verify-ca', 'verify-full'])(
    'with sslmode=%s, a server without TLS is refused and receives no password',
    async (mode) => {
      const received: Buffer[] = []
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.on('data', (bytes) => {
          received.push(bytes)
          // The answer of PostgreSQL without TLS to a request for TLS; it then closes.
          if (received.length === 1) socket.write('N')
          else socket.destroy()
        })
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      const { port } = server.address() as { port: number }
      const url = `postgres://app:c4n4ry@127.0.0.1:${port}/app?sslmode=${mode}`
      expect(await refusalOf(connect(url))).toBe('service.unavailable')
      const sent = Buffer.concat(received).toString('latin1')
      expect(sent).not.toContain('c4n4ry')
      expect(sent).not.toContain('app\0')
    },
  )

  test('sslmode=prefer accepts a server without TLS', async () => {
    expect(await connect(`${inject('postgresUrl')}?sslmode=prefer`)).toMatchObject({ isEncrypted: false })
  })
})

test('both forms of a Unix socket connect', async () => {
  const { password, port } = new URL(primary.adminUrl)
  const encoded = encodeURIComponent(folder)
  const local = { isLocal: true, who: 'postgres', port: Number(port) }
  expect(
    await connect(`postgres://postgres:${password}@/postgres?host=${folder}&port=${port}`),
  ).toMatchObject(local)
  expect(await connect(`postgres://postgres:${password}@${encoded}:${port}/postgres`)).toMatchObject(local)
})

test('a Unix socket that is missing, as during a restart, makes the database unavailable', async () => {
  const missing = join(folder, 'missing')
  expect(await refusalOf(connect(`postgres://postgres@/postgres?host=${missing}`))).toBe(
    'service.unavailable',
  )
})

describe('with several hosts,', () => {
  const both = (attributes: string) =>
    primary.adminUrl.replace('127.0.0.1', `127.0.0.1:${standby.port},127.0.0.1`) + attributes

  test.each(['', ...['any', 'primary', 'read-write'].map((target) => `?target_session_attrs=${target}`)])(
    'and %j, the primary is used',
    async (attributes) => {
      const found = await connect(both(attributes))
      expect(found).toMatchObject({ isStandby: false, port: primary.port })
    },
  )

  test('target_session_attrs=primary refuses a standby that is the only host', async () => {
    const url = `${standby.adminUrl}?target_session_attrs=primary`
    expect(await refusalOf(connect(url))).toBe('service.unavailable')
  })
})

describe('a password outside the address', () => {
  const withoutPassword = (role: string) => primary.adminUrl.replace(/\/\/[^@]+@/, `//${role}@`)

  test('is read for each new connection, so it can be rotated without a restart', async () => {
    await runSql(primary.adminUrl, `create role rotated login password 'first'`)
    let password = 'first'
    const database = openPool(withoutPassword('rotated'), { poolMax: 2, password: async () => password })
    const ask = () => database.read((db) => db.execute<{ who: string }>(sql`select current_user as who`))
    expect(await ask()).toEqual([{ who: 'rotated' }])

    await runSql(primary.adminUrl, `alter role rotated password 'second'`)
    password = 'second'
    // The first connection is busy, so the second statement needs a new one.
    const [, second] = await Promise.all([ask(), ask()])
    expect(second).toEqual([{ who: 'rotated' }])
  })

  test('that is wrong or cannot be read makes the database unavailable', async () => {
    const wrong = connect(withoutPassword('postgres'), { password: () => 'wrong' })
    expect(await refusalOf(wrong)).toBe('service.unavailable')
    for (const hosts of ['127.0.0.1', '127.0.0.1:1,127.0.0.1']) {
      const url = withoutPassword('postgres').replace('127.0.0.1', hosts)
      const unreadable = connect(url, { password: () => Promise.reject(new Error('no file')) })
      expect(await refusalOf(unreadable)).toBe('service.unavailable')
    }
  })
})

describe('the doctor', () => {
  const replication = async (url: string) => (await runDoctor({ url })).findings['database.replication']

  test('fails for a standby, and names what to add to DATABASE_URL', async () => {
    const { findings } = await runDoctor({ url: standby.adminUrl })
    expect(findings['database.connection']).toMatchObject({
      status: 'failed',
      change: expect.stringContaining('name the primary or all servers in DATABASE_URL'),
    })
  })

  test('reports a standby that is up to date, and warns of one that is behind', async () => {
    await expect
      .poll(() => replication(primary.adminUrl))
      .toMatchObject({ message: 'Standbys: 1, up to date.' })
    onTestFinished(await pair.pauseReplay())
    await runSql(primary.adminUrl, `select pg_logical_emit_message(false, 'filler', repeat('x', 20000000))`)
    expect(await replication(primary.adminUrl)).toMatchObject({ status: 'warning' })
  })
})
