import { html } from 'hono/html'

const documentOf = (content: ReturnType<typeof html>) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>Mail preferences</title>
  </head>
  <body>${content}</body>
</html>`

/**
 * The page of the link. It changes nothing, because mail scanners open links: only its button does. The form has no action, so
 * it posts to the address of the page.
 */
export const askPage = () =>
  documentOf(html`<h1>Stop these mails?</h1>
    <p>You keep the tasks and notifications in the application.</p>
    <form method="post"><button>Stop these mails</button></form>`)

export const donePage = () =>
  documentOf(html`<h1>You receive no more of these mails.</h1>
    <p>You can switch them on again in your notification preferences.</p>`)

export const invalidPage = () =>
  documentOf(html`<h1>This link is not valid.</h1>
    <p>Sign in and change your notification preferences instead.</p>`)
