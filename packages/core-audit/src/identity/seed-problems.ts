import * as v from 'valibot'
import type { AccessSeed, SeedRole, SeedUser } from './commands/seed-access.ts'
import { CreateRoleBody, CreateUserBody } from './contract.ts'
import { type AccessRules, permissionErrors } from './policy.ts'

/** Returns the problems of a seed that do not depend on the stored roles and users. */
export function seedProblems(rules: AccessRules, { roles = [], users = [] }: AccessSeed): readonly string[] {
  const problems = [
    ...roles.flatMap((role) => roleProblems(rules, role)),
    ...users.flatMap(userProblems),
    ...repeated(roles.map(({ code }) => `role ${code}`)),
    ...repeated(users.map(({ subject }) => `user ${subject}`)),
  ]
  return [...new Set(problems)]
}

function roleProblems(rules: AccessRules, role: SeedRole): readonly string[] {
  const { code, permissions = [] } = role
  const unknown = permissions.filter((permission) => permissionErrors(rules, [permission], []).length > 0)
  return [
    ...malformed(`role ${code}`, CreateRoleBody, role),
    ...unknown.map((permission) => `role ${code}: no package registers the permission ${permission}`),
  ]
}

/** The same rules as for an invitation. */
const userProblems = ({ subject, displayName, email }: SeedUser): readonly string[] =>
  malformed(`user ${subject}`, CreateUserBody, { subject, displayName, email: email ?? null, roleIds: [] })

const malformed = (name: string, schema: v.GenericSchema, input: unknown): readonly string[] =>
  (v.safeParse(schema, input).issues ?? []).map(
    (issue) => `${name}: ${v.getDotPath(issue)}: ${issue.message}`,
  )

const repeated = (names: readonly string[]): readonly string[] =>
  names.filter((name, place) => names.indexOf(name) !== place).map((name) => `${name} is listed twice`)
