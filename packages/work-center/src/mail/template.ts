import { html } from 'hono/html'
import type { Item } from '../contract.ts'

/** An item in a mail. */
export interface MailItem extends Item {
  /** The display name of the definition. */
  readonly definitionName: string
  /** The address of the item in the front end; `null` if the host gives none. */
  readonly url: string | null
}

/** The content of one mail. The rights of the recipient were checked immediately before. */
export interface MailContent {
  readonly recipient: { readonly displayName: string; readonly timeZone: string }
  readonly isDigest: boolean
  /** At least one item, newest first; in a digest at most 100. */
  readonly items: readonly [MailItem, ...MailItem[]]
  /** The page that switches these mails off. Put it into the text and the HTML. */
  readonly unsubscribeUrl: string
}

/** The subject and the two bodies of one mail. Mail clients show `html`, or `text` if they show no HTML. */
export interface MailText {
  /** Mail servers and lock screens show the subject to others: it must contain no data of an object. */
  readonly subject: string
  readonly text: string
  /** A complete HTML document. Escape all values. */
  readonly html: string
}

/** Creates the texts of a mail. A vertical can replace it with its own words and language. */
export type MailTemplate = (content: MailContent) => MailText

/** The template in English. Its subject names only the kind of the item. */
export const defaultMailTemplate: MailTemplate = (content) => ({
  subject: subjectOf(content),
  text: textOf(content),
  html: String(htmlOf(content)),
})

const subjectOf = ({ isDigest, items: [{ kind, definitionName }] }: MailContent): string =>
  isDigest
    ? 'Your new tasks and notifications'
    : `${kind === 'Task' ? 'New task' : 'Notification'}: ${definitionName}`

const footer = 'You receive this mail because of your notification preferences. Stop these mails:'

function textOf({ recipient, items, unsubscribeUrl }: MailContent): string {
  const parts = items.map((item) =>
    [
      item.title,
      ...(item.description === '' ? [] : [item.description]),
      detailsOf(item, recipient.timeZone),
      ...(item.url === null ? [] : [item.url]),
    ].join('\n'),
  )
  return [`Hello ${recipient.displayName},`, ...parts, `-- \n${footer}\n${unsubscribeUrl}`].join('\n\n')
}

function htmlOf({ recipient, items, unsubscribeUrl }: MailContent) {
  const parts = items.map(
    (item) => html`<tr><td style="padding:12px 0;border-top:1px solid #ccc">
        <strong>${item.url === null ? item.title : html`<a href="${item.url}">${item.title}</a>`}</strong>
        ${item.description === '' ? '' : html`<br />${item.description}`}
        <br /><span style="color:#555">${detailsOf(item, recipient.timeZone)}</span>
      </td></tr>`,
  )
  return html`<!doctype html>
<html lang="en">
  <head><meta charset="utf-8" /><title>Notification</title></head>
  <body style="font-family:sans-serif;font-size:16px;line-height:1.5;max-width:40em">
    <p>Hello ${recipient.displayName},</p>
    <table role="presentation" style="width:100%;border-collapse:collapse">${parts}</table>
    <p style="color:#555;font-size:13px">${footer} <a href="${unsubscribeUrl}">unsubscribe</a></p>
  </body>
</html>`
}

/** The kind, the source, and the due day, or the due time with the recipient's time zone. */
function detailsOf({ definitionName, source, dueAtUtc, dueOn }: MailItem, timeZone: string): string {
  const due = dueOn ?? (dueAtUtc === null ? null : dateTime(dueAtUtc, timeZone))
  const details = [definitionName, source.title, source.subtitle, due === null ? null : `due ${due}`]
  return details.filter((detail) => detail !== null).join(' · ')
}

const dateTime = (instant: string, timeZone: string): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(
    new Date(instant),
  )} (${timeZone})`
