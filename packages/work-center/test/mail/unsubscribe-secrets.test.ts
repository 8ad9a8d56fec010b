import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfiguration } from '@vertical-kit/core-audit/host'
import { openTestHost, type TestHost } from '@vertical-kit/core-audit/testing'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { readMailConfig } from '../../src/mail/config.ts'
import { createMail } from '../../src/mail/mail.ts'
import { signUnsubscription } from '../../src/mail/unsubscribe-token.ts'
import { openDatabase } from '../harness.ts'
import { definitions } from './mailer.ts'

const [current, previous] = ['the current secret of 32 characters', 'the previous secret of 32 characters']

let folder: string
let host: TestHost
let closeDatabase: () => Promise<void>
const fileOf = (name: 'current' | 'previous') => join(folder, name)
const writeSecrets = async () => {
  await writeFile(fileOf('current'), `${current}\n`)
  await writeFile(fileOf('previous'), `${previous}\n`)
}
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'secrets-'))
  await writeSecrets()
  const environment = {
    Mail__Host: 'smtp.example.com',
    Mail__From: 'app@example.com',
    Mail__PublicUrl: 'https://app.example.com',
    Mail__UnsubscribeSecret_FILE: fileOf('current'),
    Mail__PreviousUnsubscribeSecret_FILE: fileOf('previous'),
  }
  const config = readConfiguration(environment, readMailConfig)
  if (config === null) throw new Error('expected a mail server')
  const fresh = await openDatabase()
  closeDatabase = () => fresh.drop()
  host = await openTestHost({
    databaseUrl: fresh.url,
    modules: (database) => [
      createMail({ database, workCenter: { definitions }, config, identity: { administratorRoleCodes: [] } }),
    ],
  })
})
beforeEach(writeSecrets)
afterAll(async () => {
  await host.close()
  await closeDatabase()
  await rm(folder, { recursive: true })
})

/** Returns the status of a link that this secret has signed. */
async function statusOf(secret: string): Promise<number> {
  const token = signUnsubscription(secret, { userId: '0198a000-0000-7000-8000-000000000000', code: null })
  return (await host.app.request(`/mail/unsubscribe?token=${token}`)).status
}

test.each(['', '\n', 'short', null])(
  'while the file of the previous secret contains %j, only links of the current secret are valid',
  async (content) => {
    expect([await statusOf(current), await statusOf(previous), await statusOf('')]).toEqual([200, 200, 400])
    if (content === null) await rm(fileOf('previous'))
    else await writeFile(fileOf('previous'), content)
    expect([await statusOf(current), await statusOf(previous)]).toEqual([200, 400])
    expect(await statusOf(content?.trim() ?? '')).toBe(400)
  },
)

test.each(['', 'short'])(
  'while the file of the current secret contains %j, no link is valid',
  async (content) => {
    await writeFile(fileOf('current'), content)
    expect(await statusOf(content)).toBe(500)
    expect(await statusOf(previous)).toBe(500)
  },
)

test('while the file of the previous secret cannot be read, its links fail instead of counting as forged', async () => {
  await rm(fileOf('previous'))
  await mkdir(fileOf('previous'))
  const statuses = [await statusOf(current), await statusOf(previous)]
  await rm(fileOf('previous'), { recursive: true })
  expect(statuses).toEqual([200, 500])
})
