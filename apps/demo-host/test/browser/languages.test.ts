import { de } from '@vertical-kit/ui-client/locales/de'
import { en } from '@vertical-kit/ui-client/locales/en'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { expectAnswer } from '../answers.ts'
import { postedInvoice } from '../trade/actions/documents.ts'
import { expectNoSeriousViolations, stageOfFile, test } from './harness.ts'

const stage = stageOfFile()
const clerk = stage.as('clerk')

const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

const german = new Set(textsIn(de))
const english = new Set(textsIn(en).filter((text) => !german.has(text)))

/** Returns the English texts of the kit that its elements show on the page, or read out. */
async function leftovers(page: Page): Promise<readonly string[]> {
  const shown = await page.evaluate(() => {
    const textsOf = (root: ParentNode): readonly string[] =>
      [...root.querySelectorAll('*')].flatMap((element) => [
        ...['aria-label', 'title', 'placeholder'].map((name) => element.getAttribute(name) ?? ''),
        ...[...element.childNodes].map((node) =>
          node.nodeType === Node.TEXT_NODE ? (node.textContent ?? '').trim() : '',
        ),
        ...(element.shadowRoot === null ? [] : textsOf(element.shadowRoot)),
      ])
    return [...document.querySelectorAll('*')].flatMap(({ shadowRoot }) =>
      shadowRoot === null ? [] : textsOf(shadowRoot),
    )
  })
  expect(shown.filter((text) => german.has(text)).length).toBeGreaterThan(5)
  return shown.filter((text) => english.has(text))
}

test('a user who has chosen German sees notes, actions and the Work Center in German', async () => {
  const { id, number } = await postedInvoice(clerk)
  const target = { kind: 'Document', typeCode: 'trade.sales_invoice', id }
  await expectAnswer(clerk('POST', '/api/notes', { body: { target, text: 'Bitte mahnen' } }), 201)
  const page = await stage.signIn('clerk', `/sales-invoices/${id}?panel=notes`, {
    locale: 'de-DE',
    storageState: {
      cookies: [],
      origins: [{ origin: stage.demo.url, localStorage: [{ name: 'demo.language', value: 'de' }] }],
    },
    // All actions fit next to the panel.
    viewport: { width: 1920, height: 1000 },
  })

  const notes = page.locator('vk-notes')
  await notes.getByRole('list', { name: 'Notizen' }).getByText('Bitte mahnen').waitFor()
  await notes.getByLabel('Neue Notiz').fill('Erledigt')
  await notes.getByRole('button', { name: 'Notiz hinzufügen' }).click()
  await page.getByText('Notiz gespeichert.').first().waitFor()
  const actions = page.getByRole('region', { name: 'Aktionen' })
  await actions.getByText('Der Beleg ist bereits gebucht.').waitFor({ state: 'attached' })
  expect(await leftovers(page)).toEqual([])
  await expectNoSeriousViolations(page)

  await actions.getByRole('button', { name: 'Buchung aufheben', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Buchung dieses Belegs aufheben?' })
  await dialog.getByText('Seine Auswirkungen auf die Bücher').waitFor()
  expect(await leftovers(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Abbrechen' }).click()

  await page.goto(`${stage.demo.url}/work-center`)
  await page.getByRole('tab', { name: 'Aufgaben' }).click()
  await page.getByRole('listitem').getByText(`Zahlung zu ${number} einziehen`).waitFor()
  expect(await leftovers(page)).toEqual([])
  await expectNoSeriousViolations(page)
})

test('a user chooses a language, and the page keeps the choice', async () => {
  const page = await stage.signIn('clerk', '/preferences')
  const choice = page.getByLabel('Language of the panels')
  const title = (name: string) => page.getByRole('region', { name }).waitFor()
  await title('Notification preferences')
  await choice.selectOption('Polski')
  await title('Ustawienia powiadomień')
  await page.getByText('Zmiany obserwowanych obiektów').waitFor()
  await page.getByRole('switch', { name: 'Pobranie płatności' }).waitFor()
  await page.reload()
  await title('Ustawienia powiadomień')
  expect(await choice.locator('option:checked').textContent()).toBe('Polski')
  await choice.selectOption('English')
  await title('Notification preferences')
  await page.getByText('Changes of followed objects').waitFor()
})

test.each([
  ['de', '25,00 insgesamt', /^Fällig \d\d\.\d\d\.\d{4}$/],
  ['es', '25,00 en total', /^Vence: \d+ \S+ \d{4}$/],
  ['fr', '25,00 au total', /^Échéance : \d+ \S+ \d{4}$/],
  ['it', '25,00 in totale', /^Scadenza: \d+ \S+ \d{4}$/],
  ['pl', '25,00 łącznie', /^Termin: \d+ \S+ \d{4}$/],
])(
  'in %s, tasks show amounts and dates in the format of the chosen language',
  async (language, total, due) => {
    const { number } = await postedInvoice(clerk)
    const page = await stage.signIn('clerk', '/work-center', {
      locale: 'en-US',
      storageState: {
        cookies: [],
        origins: [{ origin: stage.demo.url, localStorage: [{ name: 'demo.language', value: language }] }],
      },
    })
    const task = page.getByRole('listitem').filter({ hasText: number })
    await task.getByText(total, { exact: true }).waitFor()
    await task.getByText(due).waitFor()
  },
)
