import { CreateRoleBody } from '@vertical-kit/core-audit/contract'
import { testCaller } from '@vertical-kit/core-audit/testing'
import { sql } from 'drizzle-orm/sql'
import fc from 'fast-check'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import {
  mayChangeCode,
  mayCreateRole,
  mayDecideOver,
  maySetActivity,
  normalizePermissions,
  permissionErrors,
} from '../../src/identity/policy.ts'
import { useSecurityHost } from './harness.ts'

const rules = { administratorRoleCodes: new Set(['boss']), permissions: ['system.a.view', 'system.b.view'] }
/** Creates a caller with every permission. All permissions together are not enough to control an administrator role. */
const caller = (isAdministrator: boolean) => testCaller(rules.permissions, { isAdministrator })

test.each([
  ['clerk', false, true],
  ['clerk', true, true],
  ['boss', false, false],
  ['boss', true, true],
])('for the role %s and isAdministrator %s, mayCreateRole returns %s', (code, isAdministrator, may) => {
  expect(mayCreateRole(rules, caller(isAdministrator), code)).toBe(may)
})

test.each([
  ['clerk', 'clerk', true],
  ['clerk', 'seller', true],
  ['boss', 'boss', true],
  ['boss', 'clerk', false],
  ['clerk', 'boss', false],
])('for a change of the code %s to %s, mayChangeCode returns %s', (from, to, may) => {
  expect(mayChangeCode(rules, from, to)).toBe(may)
})

test.each([
  ['clerk', true, false, false, true],
  ['clerk', false, true, false, true],
  ['boss', true, false, false, false],
  ['boss', true, false, true, false],
  ['boss', true, true, true, false],
  ['boss', false, true, false, false],
  ['boss', false, true, true, true],
  ['boss', false, false, true, false],
])(
  'for the role %s, isActive from %s to %s and isAdministrator %s, maySetActivity returns %s',
  (code, from, to, isAdministrator, may) => {
    expect(maySetActivity(rules, caller(isAdministrator), { code, from, to })).toBe(may)
  },
)

test.each([
  [[], false, true],
  [['clerk', 'seller'], false, true],
  [['clerk', 'boss'], false, false],
  [['clerk', 'boss'], true, true],
])('for the roles %j and isAdministrator %s, mayDecideOver returns %s', (codes, isAdministrator, may) => {
  expect(mayDecideOver(rules, caller(isAdministrator), codes)).toBe(may)
})

test('a role can contain permissions that are registered or already granted', () => {
  expect(permissionErrors(rules, ['system.a.view', 'gone', 'system.c.view'], ['gone'])).toEqual([
    { path: 'permissions.2', message: 'is not a registered permission' },
  ])
})

test('normalization sorts permissions and removes duplicates, and a second normalization changes nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b', 'c', 'd')), (permissions) => {
      const normal = normalizePermissions(permissions)
      expect(new Set(normal)).toEqual(new Set(permissions))
      expect(normal).toEqual([...normal].sort())
      expect(new Set(normal)).toHaveLength(normal.length)
      expect(normalizePermissions(normal)).toEqual(normal)
    }),
  )
})

const host = useSecurityHost()

test('the contract accepts exactly the role codes that the table accepts', async () => {
  const part = fc.oneof(
    fc.constantFrom('a', 'z9', '.', '-', '_', '..', 'A', ' ', '\n', 'ä', 'x'.repeat(50)),
    fc.string({ maxLength: 3 }).filter((text) => !text.includes('\0') && text.isWellFormed()),
  )
  const codes = fc.sample(
    fc.array(part, { maxLength: 5 }).map((parts) => parts.join('')),
    2_000,
  )
  const [check] = await host.database.read((db) =>
    db.execute<{ definition: string }>(sql`
      select pg_get_expr(conbin, conrelid) as definition from pg_constraint where conname = 'roles_code_check'`),
  )
  const taken = await host.database.read((db) =>
    db.execute<{ fits: boolean }>(sql`
      select ${sql.raw(check?.definition ?? '')} as fits
      from unnest(${sql.param(codes)}::text[]) with ordinality as sample (code, place)
      order by place`),
  )
  const byTable = taken.map((row) => row.fits)
  expect(byTable).toContain(true)
  expect(codes.map((code) => v.is(CreateRoleBody.entries.code, code))).toEqual(byTable)
})
