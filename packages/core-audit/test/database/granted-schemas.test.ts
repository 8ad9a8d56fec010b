import { glob, readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const guide = await readFile(`${root}/docs/guides/database.md`, 'utf8')

/** Returns the schemas that the packages declare in `schema.ts` and `schema-internal.ts`. */
async function declaredSchemas(): Promise<readonly string[]> {
  const names: string[] = []
  for await (const file of glob('packages/*/src/**/schema{,-internal}.ts', { cwd: root })) {
    const text = await readFile(`${root}/${file}`, 'utf8')
    names.push(...[...text.matchAll(/= pgSchema\('(\w+)'\)/g)].map(([, name = '']) => name))
  }
  return names.toSorted()
}

test.each([
  ['usage', /grant usage on schema ([^;]*) to app/],
  ['existing tables', /on all tables in schema ([^;]*) to app/],
  ['later tables', /alter default privileges in schema ([^;]*?)\s+grant select/],
])('the grants of the database guide for %s name the schema of every package', async (_, grant) => {
  const granted = grant.exec(guide)?.[1]?.split(', ').toSorted()
  expect(granted).toEqual(await declaredSchemas())
})
