import { expect, onTestFinished, test } from 'vitest'
import { type OpenDemo, openDemo } from './demo-process.ts'

const anyId = '019a0000-0000-7000-8000-000000000000'
const summary = '/api/business-objects/content-summary'

async function open(attachments: boolean, notes: boolean): Promise<OpenDemo> {
  const demo = await openDemo({
    FeatureManagement__Attachments: String(attachments),
    FeatureManagement__Notes: String(notes),
  })
  onTestFinished(() => demo.close())
  return demo
}

/** Calls every operation of the OpenAPI document below a path. Returns each operation with its status and code. */
async function answersBelow(demo: OpenDemo, prefix: string): Promise<readonly string[]> {
  const { paths } = (await (await fetch(`${demo.url}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  const admin = await demo.as('admin')
  const operations = Object.entries(paths)
    .filter(([path]) => path.startsWith(prefix))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => [method.toUpperCase(), path] as const))
  expect(operations).not.toHaveLength(0)
  return Promise.all(
    operations.map(async ([method, path]) => {
      const response = await admin(method, path.replace('{id}', anyId), method === 'GET' ? {} : { body: {} })
      const { code } = (await response.json()) as { code: string }
      return `${method} ${path} ${response.status} ${code}`
    }),
  )
}

async function preferenceCodes(demo: OpenDemo): Promise<readonly string[]> {
  const response = await (await demo.as('clerk'))('GET', '/api/me/notification-preferences')
  return ((await response.json()) as { code: string }[]).map(({ code }) => code)
}

const isClosed = (answer: string) => answer.endsWith(' 404 feature.disabled')

test('while both features are off, the endpoints of attachments, notes and the content summary are disabled', async () => {
  const demo = await open(false, false)
  for (const prefix of ['/api/attachments', '/api/notes', summary]) {
    expect((await answersBelow(demo, prefix)).filter((answer) => !isClosed(answer))).toEqual([])
  }
  expect(await (await demo.as('clerk'))('GET', '/api/features').then((response) => response.json())).toEqual([
    expect.objectContaining({ code: 'Attachments', enabled: false }),
    expect.objectContaining({ code: 'Notes', enabled: false }),
  ])
})

test.each([
  ['attachments', '/api/attachments', '/api/notes', false, true],
  ['notes', '/api/notes', '/api/attachments', true, false],
] as const)(
  'while only %s are off, only the endpoints and preferences of that feature are disabled',
  async (_, off, on, attachments, notes) => {
    const demo = await open(attachments, notes)
    expect((await answersBelow(demo, off)).filter((answer) => !isClosed(answer))).toEqual([])
    expect((await answersBelow(demo, on)).filter(isClosed)).toEqual([])
    expect((await answersBelow(demo, summary)).filter(isClosed)).toEqual([])
    expect((await preferenceCodes(demo)).includes('notes.mentioned')).toBe(notes)
  },
)
