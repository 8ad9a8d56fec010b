import manifest from '@vertical-kit/ui-client/custom-elements.json' with { type: 'json' }
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import type { Document } from '../actions.ts'
import { expectAnswer } from '../answers.ts'
import { draftSales, postedInvoice } from '../trade/actions/documents.ts'
import { stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
let invoice: Document
beforeAll(async () => {
  invoice = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
})

const tags = manifest.modules.flatMap(({ declarations }) => declarations.map(({ tagName }) => tagName))

/** Presses a key of the Work Center, and returns whether the Work Center has handled it. */
const isHandled = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const options = { key: 'j', bubbles: true, composed: true, cancelable: true }
    return !document.body.dispatchEvent(new KeyboardEvent('keydown', options))
  })

test('a Work Center that is hidden or in a closed dialog has no shortcuts', async () => {
  const page = await stage.signIn('clerk', '/work-center')
  const element = page.locator('vk-work-center')
  await element.getByRole('listitem').first().waitFor()
  expect(await isHandled(page)).toBe(true)
  for (const style of [{ display: 'none' }, { display: '', visibility: 'hidden' }]) {
    await element.evaluate((one, css) => Object.assign(one.style, css), style)
    expect(await isHandled(page), JSON.stringify(style)).toBe(false)
  }
  await element.evaluate((one) => Object.assign(one.style, { visibility: '' }))
  expect(await isHandled(page)).toBe(true)
  await element.evaluate((one) => {
    const dialog = document.createElement('dialog')
    one.replaceWith(dialog)
    dialog.append(one)
  })
  expect(await isHandled(page)).toBe(false)
})

test.each([
  ['vk-work-center', 'clerk', '/work-center'],
  ['vk-team-tasks', 'manager', '/team'],
  ['vk-users', 'manager', '/administration/users'],
])('a %s that is removed and added again later loads its current rows', async (tag, user, path) => {
  const page = await stage.signIn(user, path)
  const element = page.locator(tag)
  await element.getByRole('listitem').first().waitFor()
  const handle = await element.evaluateHandle((one) => {
    const comment = document.createComment('the place of the element')
    one.replaceWith(comment)
    return { one, comment }
  })
  // The element has closed its store before it is added again.
  const name = `New ${tag}`
  const invoice = await postedInvoice(stage.as('clerk'))
  await expectAnswer(
    stage.as('manager')('POST', '/api/security/users', {
      body: { subject: name, displayName: name, email: null, roleIds: [] },
    }),
    201,
  )
  await handle.evaluate(({ one, comment }) => comment.replaceWith(one))
  await element
    .getByText(tag === 'vk-users' ? name : invoice.number)
    .first()
    .waitFor()
})

test('a change of the session closes the dialog of the former user', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  const users = page.locator('vk-users')
  const deactivate = users
    .getByRole('listitem')
    .filter({ hasText: 'Carl Clerk' })
    .getByRole('button', {
      name: /Deactivate/,
    })
  await deactivate.click()
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  await users.evaluate((element) => {
    const session: unknown = Reflect.get(element, 'session')
    Object.assign(element, { session: undefined })
    Object.assign(element, { session })
  })
  await deactivate.waitFor()
  expect(await dialog.count()).toBe(0)
})

test('after the end of the session, elements show nothing, also those that are added later', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  await page.locator('vk-users').waitFor()
  const shown = await page.evaluate(
    async ({ tags, target }) => {
      const session = document.querySelector('vk-toasts')?.session
      if (session === undefined) throw new Error('The page has no session.')
      const all: (HTMLElement & { updateComplete: Promise<unknown> })[] = []
      const add = (): void => {
        for (const tag of tags) {
          const element = document.createElement(tag)
          Object.assign(element, { session, target, documentType: target.typeCode, documentId: target.id })
          document.body.append(element)
          all.push(element as (typeof all)[number])
        }
      }
      const contents = async (): Promise<string[]> => {
        for (const { updateComplete } of all) await updateComplete
        const [some, roots] = ['button, input, .skeleton', all.map(({ shadowRoot }) => shadowRoot)]
        return roots.flatMap((root) => (root?.querySelector(some) == null ? [] : [root.host.localName]))
      }
      add()
      const before = await contents()
      session.close()
      const after = await contents()
      add()
      return { before: before.length, after, later: await contents() }
    },
    { tags, target: { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoice.id } },
  )
  expect(shown.before).toBeGreaterThan(5)
  expect(shown).toMatchObject({ after: [], later: [] })
})

test.each(['vk-attachments', 'vk-notes', 'vk-document-actions'])(
  'a removed %s does not stay in memory',
  async (tag) => {
    const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}`)
    await page.locator('vk-document-actions').getByRole('button').first().waitFor()
    await page.evaluate(
      ({ tag, target }) => {
        const element = document.createElement(tag)
        const session = document.querySelector('vk-toasts')?.session
        Object.assign(element, {
          id: 'added',
          session,
          target,
          documentType: target.typeCode,
          documentId: target.id,
        })
        document.body.append(element)
      },
      { tag, target: { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoice.id } },
    )
    await page.locator('#added').locator('button:visible, textarea:visible').first().waitFor()
    await page.evaluate(() => {
      const element = document.querySelector('#added')
      Object.assign(window, { removed: new WeakRef(element ?? document.body) })
      element?.remove()
    })
    const devTools = await page.context().newCDPSession(page)
    await expect
      .poll(async () => {
        await devTools.send('HeapProfiler.collectGarbage')
        return page.evaluate(() => (Reflect.get(window, 'removed') as WeakRef<Element>).deref() === undefined)
      })
      .toBe(true)
  },
)
