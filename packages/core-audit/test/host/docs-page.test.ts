import { createHash } from 'node:crypto'
import { api, type KitEnv } from '@vertical-kit/core-audit/http'
import { Hono } from 'hono'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { openHostWithout } from '../harness.ts'

const hostile = '<script>alert("1")</script> & <b title=\'x\'>'

const router = new Hono<KitEnv>().post(
  '/api/shelves/:id',
  api({
    operationId: 'addShelf',
    tag: hostile,
    summary: `Adds ${hostile}.`,
    description: hostile,
    permission: ['system.shelves.create', hostile],
    query: v.object({ [hostile]: v.string() }),
    body: v.pipe(
      v.object({ name: v.pipe(v.string(), v.description(hostile)) }),
      v.metadata({ ref: 'Shelf' }),
    ),
    responses: { 200: { description: hostile } },
  }),
  (c) => c.text('added'),
)

async function page(): Promise<{ html: string; headers: Headers }> {
  const { app } = await openHostWithout(router)
  const response = await app.request('/docs')
  return { html: await response.text(), headers: response.headers }
}

const voidElements = new Set(['meta', 'link', 'br', 'hr', 'img', 'input'])

/** Returns the problems with the HTML tags of a text. The list is empty if the text is well-formed. */
function tagProblems(html: string): readonly string[] {
  const problems: string[] = []
  const open: string[] = []
  const tag = /<!--.*?-->|<!doctype html>|<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"<]*")?)*)\s*(\/?)>/gis
  const text = html.replaceAll(tag, (_whole, slash: string | undefined, name: string | undefined) => {
    if (name === undefined || voidElements.has(name)) return ''
    if (slash === '') open.push(name)
    else if (open.pop() !== name) problems.push(`</${name}> closes nothing`)
    return ''
  })
  if (open.length > 0) problems.push(`not closed: ${open.join()}`)
  if (/[<>]/.test(text)) problems.push(`a bracket in text: ${/.{0,30}[<>].{0,30}/s.exec(text)?.[0]}`)
  return problems
}

test('the page is well-formed HTML in UTF-8, with a title and a language', async () => {
  const { html, headers } = await page()
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8')
  expect(tagProblems(html)).toEqual([])
  expect(html).toMatch(/^<!doctype html>\n<html lang="en">/)
  expect(html).toContain('<title>Test host API</title>')
})

test('the page contains every operation and schema', async () => {
  const { html } = await page()
  expect(html).toContain('<span class="method">POST</span> <code>/api/shelves/{id}</code>')
  expect(html).toContain('Needs <code>system.shelves.create</code> or <code>&lt;script&gt;')
  expect(html).toContain('<article id="Shelf">')
  expect(html).toContain('<article id="ProblemDetails">')
  expect(html).toContain('<dd><code>request.too_large</code>: The request body is too large.</dd>')
})

test('the page shows descriptions as text, not as markup', async () => {
  const { html } = await page()
  expect(html).not.toContain('<script')
  expect(html).not.toContain('<b ')
  expect(html).toContain('&lt;script&gt;')
})

test('the page uses nothing that its content security policy forbids', async () => {
  const { html, headers } = await page()
  const [style = ''] = [...html.matchAll(/<style>(.*?)<\/style>/gs)].map(([, text]) => text)
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers.get('Content-Security-Policy')).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  )
  expect(style).not.toMatch(/url\(|@import/)
  expect(html.match(/<style/g)).toHaveLength(1)
  expect(html).not.toMatch(/\s(?:style|src|srcset|on[a-z]+)=/i)
  expect(html).not.toMatch(/<(?:link|img|iframe|object|embed|form|base)\b/i)
  const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)
  expect(links).toEqual(['/openapi.json'])
})
