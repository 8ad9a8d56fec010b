import type { KitEnv } from '@vertical-kit/core-audit/http'
import type { Hono } from 'hono'
import { html } from 'hono/html'

/** A mail on the page. */
export interface MailOnPage {
  readonly number: number
  readonly to: string
  readonly receivedAtUtc: string
  readonly content: {
    readonly subject?: string | undefined
    readonly text?: string | undefined
    readonly html?: string | undefined
  }
}

const listHeaders = {
  'Content-Security-Policy': "default-src 'none'; frame-src 'self'; frame-ancestors 'none'",
}
/** The HTML of a mail is foreign: it runs in an origin of its own, without scripts, forms and requests. */
const mailHeaders = {
  'Content-Security-Policy':
    "sandbox allow-popups; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'",
}

/** Adds the page `/mails`, which shows the mails that the demo has received: their plain text, and their HTML in a frame. */
export function mountMailPage(app: Hono<KitEnv>, mails: () => readonly MailOnPage[]): void {
  app.get('/mails', (c) => c.html(pageOf(mails()), 200, listHeaders))
  app.get('/mails/:number', (c) => {
    const mail = mails().find(({ number }) => `${number}` === c.req.param('number'))
    if (mail === undefined) return c.notFound()
    return c.html(mail.content.html ?? '', 200, mailHeaders)
  })
}

const pageOf = (mails: readonly MailOnPage[]) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>Mails of the demo</title>
  </head>
  <body>
    <main>
      <h1>Mails of the demo</h1>
      <p>The demo delivers its mails to this page. Nothing leaves your machine. Reload to see new mails.</p>
      ${mails.length === 0 ? html`<p>No mail yet. Switch one on in your <a href="/preferences">preferences</a>.</p>` : ''}
      ${mails.map(
        ({ number, to, receivedAtUtc, content }) => html`<article aria-labelledby="mail-${number}">
        <h2 id="mail-${number}">${content.subject ?? ''}</h2>
        <p>To ${to}, ${receivedAtUtc}</p>
        <pre>${content.text ?? ''}</pre>
        <iframe title="HTML of mail ${number}" src="/mails/${number}" sandbox="allow-popups" width="640" height="320"></iframe>
      </article>`,
      )}
    </main>
  </body>
</html>`
