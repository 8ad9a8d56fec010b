import manifest from '@vertical-kit/ui-client/custom-elements.json' with { type: 'json' }
import type { Page } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import type { Document } from '../actions.ts'
import { draftSales } from '../trade/actions/documents.ts'
import { stageOfFile, test, tolerate } from './harness.ts'

const stage = stageOfFile()
let invoice: Document
beforeAll(async () => {
  invoice = await draftSales(await stage.demo.as('clerk'), 'trade.sales_invoice')
})

interface Properties {
  readonly tag: string
  readonly names: readonly string[]
}

interface Described {
  readonly tagName: string
  readonly members: readonly { readonly kind: string; readonly name: string; readonly readonly?: boolean }[]
}

const modules: readonly { readonly declarations: readonly Described[] }[] = manifest.modules

/** The public properties of all elements that a page can set. */
const elements = modules
  .flatMap(({ declarations }) => declarations)
  .map(
    ({ tagName: tag, members }): Properties => ({
      tag,
      names: members
        .filter(({ kind, readonly = false }) => kind === 'field' && !readonly)
        .map(({ name }) => name),
    }),
  )

/** Sets one property of an element to each of the values, and returns the failed updates. */
const errorsOf = (page: Page, { tag, names }: Properties): Promise<readonly string[]> =>
  page.evaluate(
    async ({ tag, names, target }) => {
      const session = document.querySelector('vk-toasts')?.session
      if (session === undefined) return ['The page has no session.']
      const errors: string[] = []
      for (const name of names) {
        const element = document.createElement(tag) as HTMLElement & { updateComplete: Promise<unknown> }
        Object.assign(element, { session, target, documentType: target.typeCode, documentId: target.id })
        document.body.append(element)
        await element.updateComplete
        for (const value of [undefined, null, 'wrong']) {
          try {
            Object.assign(element, { [name]: value })
            await element.updateComplete
          } catch (error) {
            errors.push(`${tag}.${name} = ${value}: ${error}`)
          }
        }
        element.remove()
      }
      return errors
    },
    { tag, names, target: { kind: 'Document', typeCode: 'trade.sales_invoice', id: invoice.id } },
  )

test('no element fails if a property is undefined, null or a wrong text', async () => {
  const page = await stage.signIn('manager', '/administration/users')
  await page.locator('vk-users').waitFor()
  // The service refuses requests about objects that do not exist.
  tolerate(page, /Failed to load resource/)
  expect(elements.length).toBeGreaterThan(15)
  const errors: string[] = []
  for (const element of elements) errors.push(...(await errorsOf(page, element)))
  expect(errors).toEqual([])
})

test('an element without a session shows nothing', async () => {
  const page = await stage.signIn('clerk', '/work-center')
  const rows = page.locator('vk-work-center').getByRole('listitem')
  await rows.first().waitFor()
  await page.locator('vk-work-center').evaluate((element: HTMLElementTagNameMap['vk-work-center']) => {
    element.session = null
  })
  await rows.first().waitFor({ state: 'detached' })
  expect(await page.locator('vk-work-center').getByRole('tab').count()).toBe(0)
})

test.each([undefined, null, 'wrong'])('the Work Center shows its defaults instead of %s', async (value) => {
  const page = await stage.signIn('clerk', '/work-center')
  const element = page.locator('vk-work-center')
  const selected = element.getByRole('tab', { selected: true })
  await element.getByRole('tab', { name: 'Tasks' }).click()
  await element.getByRole('tab', { name: 'Tasks', selected: true }).waitFor()
  const names = ['tab', 'filters', 'sort', 'density', 'layout'] as const
  const shown = await element.evaluate(
    (one, { names, value }) => {
      for (const name of names) Object.assign(one, { [name]: value })
      return names.map((name) => Reflect.get(one, name))
    },
    { names, value },
  )
  expect(shown).toEqual(['attention', {}, 'newest', 'compact', 'page'])
  await element.getByRole('tab', { name: 'Attention', selected: true }).waitFor()
  expect(await selected.count()).toBe(1)
  expect(await element.getAttribute('density')).toBe('compact')
})

test.each([undefined, null, 'wrong', 0])(
  'the limit of a note is the default instead of %s',
  async (value) => {
    const page = await stage.signIn('clerk', `/sales-invoices/${invoice.id}?panel=notes`)
    const notes = page.locator('vk-notes')
    await notes.getByLabel('New note').waitFor()
    const limit = await notes.evaluate((one, max) => {
      Object.assign(one, { maxChars: 20 })
      Object.assign(one, { maxChars: max })
      return Reflect.get(one, 'maxChars')
    }, value)
    expect(limit).toBe(10_000)
  },
)
