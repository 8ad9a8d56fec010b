import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
const manager = stage.as('manager')

interface Listed {
  readonly items: readonly { readonly id: string; readonly roles: readonly { readonly code: string }[] }[]
}

test('a role that another administrator has assigned stays, and the choice of both is saved', async () => {
  const find = async () => {
    const { items } = (await expectAnswer(
      manager('GET', '/api/security/users?q=Vera'),
      200,
    )) as unknown as Listed
    const [user] = items
    if (user === undefined) throw new Error('The user must exist')
    return { id: user.id, codes: user.roles.map(({ code }) => code) }
  }
  const roles = (await expectAnswer(manager('GET', '/api/security/roles'), 200)) as unknown as readonly {
    readonly id: string
    readonly code: string
  }[]
  const { id, codes } = await find()
  const page = await stage.signIn('manager', '/administration/users')
  const vera = page.locator('vk-users li').filter({ hasText: 'Vera' })
  await vera.getByRole('button', { name: /^Roles:/ }).click()
  await vera.getByRole('checkbox', { name: 'Uploader' }).check()
  const next = roles.filter(({ code }) => [...codes, 'trade.auditor'].includes(code))
  await expectAnswer(
    manager('PUT', `/api/security/users/${id}/roles`, { body: { roleIds: next.map((role) => role.id) } }),
    200,
  )

  tolerate(page, /409 \(Conflict\)/)
  await vera.getByRole('button', { name: 'Save' }).click()
  await vera.getByText('The roles of this user have changed since you loaded them.').waitFor()
  const isChecked = (name: string) => vera.getByRole('checkbox', { name }).isChecked()
  await expect.poll(() => isChecked('Auditor')).toBe(true)
  expect(await isChecked('Uploader')).toBe(true)
  await vera.getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(async () => (await find()).codes.toSorted())
    .toEqual([...codes, 'trade.auditor', 'trade.uploader'].toSorted())
})
