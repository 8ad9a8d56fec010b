import { readFile } from 'node:fs/promises'
import { createDatabase, databaseDefaults } from '@vertical-kit/core-audit/database'
import { startTestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { runWebhooksCommand, WebhooksError } from '@vertical-kit/webhooks'
import { Webhook } from 'standardwebhooks'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startReadmeExample } from '../../../vitest.readme-example.ts'
import { readWebhooksConfig } from '../src/config.ts'
import { makeWebhooks, startReceiver } from './harness.ts'

const packageFolder = new URL('..', import.meta.url)

test('the README example runs as shown: an endpoint receives an event of another process', async () => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const fresh = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => fresh.drop())
  const environment = {
    DATABASE_URL: fresh.url,
    Webhooks__AllowInsecureHttp: 'true',
    Webhooks__AllowPrivateAddresses: 'true',
  }
  const example = await startReadmeExample(packageFolder, {
    ...environment,
    ...{ Oidc__Issuer: issuer.oidc.issuer, Oidc__Audience: issuer.oidc.audience },
    WorkCenter__OutboxPollInterval: '00:00:01',
  })
  const arrived = Promise.withResolvers<unknown>()
  const lines: string[] = []
  const receiver = await startReceiver((response, { body, headers }) => {
    response.writeHead(204).end()
    const secret = /^Secret +(\S+)$/m.exec(lines.join('\n'))?.[1] ?? ''
    arrived.resolve(new Webhook(secret).verify(body, headers as Record<string, string>))
  })
  const argv = ['add', receiver.url, '--events', 'shop.sold']
  await runWebhooksCommand({ argv, environment, operator: 'olga', write: (line) => lines.push(line) })
  const database = createDatabase({ ...databaseDefaults, url: fresh.url })
  onTestFinished(() => database.close())
  await makeWebhooks(database).append('shop.sold', { price: 7 })
  expect(await arrived.promise).toMatchObject({ type: 'shop.sold', data: { price: 7 } })
  expect(await example.stop()).toEqual([0, null])
})

test('the README contains the expected headings, all error codes and all configuration keys', async () => {
  const readme = await readFile(new URL('README.md', packageFolder), 'utf8')
  expect([...readme.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)).toEqual([
    ...['What it is', 'Mount it', 'Routes', 'Errors', 'Options', 'Tables', 'What it does not do'],
  ])
  expect(Object.keys(WebhooksError.table).filter((code) => !readme.includes(`\`${code}\``))).toEqual([])
  const keys: string[] = []
  const read = (key: string) => void keys.push(key)
  readWebhooksConfig({ durationMs: read, integer: read, boolean: read } as never)
  const documented = [...readme.matchAll(/^\| `(Webhooks__\w+)` \|/gm)].map(([, key]) => key)
  expect(documented).toEqual(keys)
})
