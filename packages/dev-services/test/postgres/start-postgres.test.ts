import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { type PostgresServer, startPostgres } from '@vertical-kit/dev-services'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { findOptionalPrograms, postgres15Folder } from '../../../../vitest.optional-programs.ts'
import { ask, startForTest, temporaryFolder } from './harness.ts'

const { missing, isRequired } = findOptionalPrograms()['postgres-15']

test('every test can use the server of the test run', async () => {
  expect(await ask(inject('postgresUrl'), 'select 1 as one')).toEqual([{ one: 1 }])
})

describe('a temporary server', () => {
  const logLines: string[] = []
  let server: PostgresServer

  beforeAll(async () => {
    server = await startPostgres({
      settings: { deadlock_timeout: '7s' },
      log: (line) => logLines.push(line),
    })
    return () => server.stop()
  })

  test('listens only on 127.0.0.1 and uses UTF-8, the C locale and UTC', async () => {
    const settings = await ask(
      server.adminUrl,
      `select current_setting('listen_addresses') as listen, current_setting('unix_socket_directories') as socket,
              current_setting('server_encoding') as encoding, current_setting('timezone') as timezone,
              datcollate, datctype from pg_database where datname = current_database()`,
    )
    expect(settings).toEqual([
      { listen: '127.0.0.1', socket: '', encoding: 'UTF8', timezone: 'UTC', datcollate: 'C', datctype: 'C' },
    ])
    expect(server.version).toMatch(/^18\./)
  })

  test('requires a password', async () => {
    const url = new URL(server.adminUrl)
    url.password = 'guess'
    await expect(ask(url.href, 'select 1')).rejects.toMatchObject({ code: '28P01' })
  })

  test('creates, copies and drops databases', async () => {
    await server.createDatabase('first')
    await ask(server.url('first'), 'create table kept (id integer)')
    await server.createDatabase('second', { template: 'first' })
    expect(await ask(server.url('second'), 'select count(*)::int from kept')).toEqual([{ count: 0 }])
    await server.dropDatabase('second')
    await server.dropDatabase('second')
    await expect(ask(server.url('second'), 'select 1')).rejects.toMatchObject({ code: '3D000' })
  })

  test('applies settings and forwards its log', async () => {
    expect(await ask(server.adminUrl, 'show deadlock_timeout')).toEqual([{ deadlock_timeout: '7s' }])
    expect(logLines.join('\n')).toContain('listening on IPv4 address "127.0.0.1"')
  })
})

test('stopping a server removes temporary data, and a second stop has no effect', async () => {
  const server = await startPostgres()
  const [row] = await ask(server.adminUrl, `select current_setting('data_directory') as path`)
  const folder = dirname(row?.['path'])
  expect(existsSync(folder)).toBe(true)
  await server.stop()
  await server.stop()
  expect(existsSync(folder)).toBe(false)
})

describe('a restart', () => {
  test.each(['fast', 'immediate'] as const)('in mode %s keeps port and committed data', async (mode) => {
    const server = await startForTest()
    await ask(server.adminUrl, 'create table kept as select 42 as answer')
    let refusal: unknown
    await server.restart({
      mode,
      whileDown: async () => {
        refusal = await ask(server.adminUrl, 'select 1').catch((error: unknown) => error)
      },
    })
    expect(refusal).toMatchObject({ code: 'ECONNREFUSED' })
    expect(await ask(server.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
  })

  test('starts the server even if `whileDown` fails', async () => {
    const server = await startForTest()
    await expect(server.restart({ whileDown: () => Promise.reject(new Error('drill')) })).rejects.toThrow(
      'drill',
    )
    expect(await ask(server.adminUrl, 'select 1 as one')).toEqual([{ one: 1 }])
  })
})

describe('a server with a directory', () => {
  test('commits durably and keeps data and password between runs', async () => {
    const directory = await temporaryFolder()
    const first = await startForTest({ directory })
    expect(await ask(first.adminUrl, 'show fsync')).toEqual([{ fsync: 'on' }])
    await ask(first.adminUrl, 'create table kept as select 42 as answer')
    await first.stop()

    const second = await startForTest({ directory, port: first.port })
    expect(second.adminUrl).toBe(first.adminUrl)
    expect(await ask(second.adminUrl, 'select answer from kept')).toEqual([{ answer: 42 }])
  })
})

test('if the port is in use, the start rejects with the error message of the server', async () => {
  const server = await startForTest()
  await expect(startPostgres({ port: server.port })).rejects.toThrow(
    /did not start[\s\S]*Address already in use/,
  )
})

test('if a setting is unknown, the start rejects with the error message of the server', async () => {
  await expect(startPostgres({ settings: { no_such_setting: '1' } })).rejects.toThrow(
    'unrecognized configuration parameter "no_such_setting"',
  )
})

test.skipIf(missing.length > 0 && !isRequired)(
  'startPostgres can run the programs of another installation',
  async () => {
    const server = await startForTest({ binaries: postgres15Folder })
    expect(server.version).toMatch(/^15\./)
    expect(await ask(server.adminUrl, 'show server_version_num')).toEqual([
      { server_version_num: expect.stringMatching(/^15/) },
    ])
  },
)
