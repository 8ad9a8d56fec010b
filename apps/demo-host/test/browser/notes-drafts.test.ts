import type { Page } from 'playwright-core'
import { describe, expect } from 'vitest'
import { signIn, signOut, stageOfFile, test, tolerate } from './harness.ts'
import { button, draft, edit, notesStage, openNotes, panel, texts } from './notes-stage.ts'

const stage = stageOfFile()
const { invoiceWith, open } = notesStage(stage)

/** Returns all data of the notes elements that the browser stores. */
const kept = (page: Page): Promise<readonly string[]> =>
  page.evaluate(() =>
    Object.entries(localStorage)
      .flat()
      .filter((text) => /vertical-kit|begun/.test(text)),
  )

describe('the unsaved text of a note', () => {
  test('is restored after a reload, for a new note and for an edit', async () => {
    const page = await open(await invoiceWith('As it was'))
    await draft(page).pressSequentially('begun, not fin')
    await edit(page).click()
    await panel(page)
      .getByLabel(/Edit the note by .Clara Clerk/)
      .fill('As it was begun')
    await page.reload()
    // The URL names the open panel.
    await draft(page).waitFor()
    expect(await draft(page).inputValue()).toBe('begun, not fin')
    const editor = panel(page).getByLabel(/Edit the note by .Clara Clerk/)
    expect(await editor.inputValue()).toBe('As it was begun')
    await button(page, 'Save').click()
    await button(page, 'Add note').click()
    await expect.poll(() => texts(page)).toEqual(['begun, not fin', 'As it was begun'])
    expect(await kept(page)).toEqual([])
  })

  test('stays in the form while the browser is offline and can be saved when the network is back', async () => {
    const page = await open(await invoiceWith())
    await draft(page).fill('Written in a tunnel')
    tolerate(page, /ERR_INTERNET_DISCONNECTED/)
    await page.context().setOffline(true)
    await button(page, 'Add note').click()
    await panel(page).getByRole('alert').getByText('The service cannot be reached.').first().waitFor()
    expect(await draft(page).inputValue()).toBe('Written in a tunnel')
    await page.context().setOffline(false)
    await button(page, 'Add note').click()
    await expect.poll(() => texts(page)).toEqual(['Written in a tunnel'])
  })

  test('is removed on sign-out, so the next user of the browser cannot see it', async () => {
    const invoice = await invoiceWith()
    const page = await open(invoice)
    await draft(page).fill('begun by the clerk')
    expect(await kept(page)).not.toEqual([])
    await page.keyboard.press('Escape')
    await signOut(page, { losesInput: true })
    expect(await kept(page)).toEqual([])
    await signIn(page, 'clerk2')
    await page.goto(`${stage.demo.url}/sales-invoices/${invoice}`)
    await openNotes(page)
    expect(await draft(page).inputValue()).toBe('')
    expect(await kept(page)).toEqual([])
  })

  test('is removed when another user signs in and the previous user did not sign out', async () => {
    const invoice = await invoiceWith()
    const page = await open(invoice)
    await draft(page).fill('begun by the clerk')
    const mine = await kept(page)
    // Remove the session without a sign-out, to simulate a crash of the browser. Leave the application first: it would send
    // requests without a session.
    const body = '<link rel="icon" href="data:,">'
    await page.route('**/blank', (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.goto(`${stage.demo.url}/blank`)
    await page.evaluate(() => sessionStorage.clear())
    await page.evaluate(() => {
      for (const name of Object.keys(localStorage)) if (name.includes('oidc')) localStorage.removeItem(name)
    })
    await page.context().clearCookies()
    await page.goto(stage.demo.url)
    await page.locator('[data-user="clerk2"]').waitFor()
    expect(await kept(page)).toEqual(mine)
    await signIn(page, 'clerk2')
    await expect.poll(() => kept(page)).toEqual([])
  })
})
