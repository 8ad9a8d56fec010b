import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startTestIssuer, type TestIssuer } from '@vertical-kit/core-audit/testing'
import { freshDatabase } from '@vertical-kit/dev-services'
import { expect, inject, onTestFinished, test } from 'vitest'

const packageFolder = fileURLToPath(new URL('..', import.meta.url))

/** Runs the README's example in a process of its own; resolves with its address once it says that it is ready. */
async function startExample(issuer: TestIssuer, settings: Readonly<Record<string, string>>): Promise<string> {
  const database = await freshDatabase(inject('postgresUrl'))
  onTestFinished(() => database.drop())
  const readme = await readFile(`${packageFolder}/README.md`, 'utf8')
  const [, example = ''] = /```ts\n([\s\S]*?)```/.exec(readme) ?? []
  const child = spawn(
    process.execPath,
    ['--conditions=@vertical-kit/source', '--input-type=module-typescript', '--eval', example],
    {
      cwd: packageFolder,
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: database.url,
        Oidc__Issuer: issuer.oidc.issuer,
        Oidc__Audience: issuer.oidc.audience,
        ...settings,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  onTestFinished(async () => {
    if (child.exitCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  let complaints = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaints += text
  })
  for await (const line of createInterface(child.stdout)) {
    if (line.startsWith('ready ')) return line.slice('ready '.length)
  }
  throw new Error(`The example ended before it was ready: ${complaints}`)
}

test.each([
  ['true', 200],
  ['false', 404],
])('the example of the README runs as shown, its feature %s', async (value, status) => {
  const issuer = await startTestIssuer()
  onTestFinished(() => issuer.close())
  const url = await startExample(issuer, { FeatureManagement__Returns: value })
  const headers = { Authorization: `Bearer ${await issuer.token({ subject: 'clerk' })}` }
  const features = await fetch(`${url}/api/features`, { headers })
  expect(await features.json()).toMatchObject([{ code: 'Returns', enabled: value === 'true' }])
  expect((await fetch(`${url}/api/returns`, { headers })).status).toBe(status)
})
