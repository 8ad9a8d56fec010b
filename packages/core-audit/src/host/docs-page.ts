import { createHash } from 'node:crypto'
import { html, raw } from 'hono/html'
import type { FixedAnswer } from './fixed-answer.ts'

type Json = Record<string, unknown>

const style = `
:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:1.5rem}
h2{margin-top:2.5rem}article{border-top:1px solid #8884;padding:1rem 0}code,pre{font:13px/1.45 ui-monospace,monospace}
pre{overflow:auto;background:#8881;padding:.75rem;border-radius:.4rem}dt{font-weight:600}dd{margin:0 0 .5rem 1rem;white-space:pre-line}
.method{font-weight:700;display:inline-block;min-width:4.5rem}summary{cursor:pointer}`

/** Allows only this page's style sheet. `default-src` does not cover the last three directives. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Renders the API page from the OpenAPI document, without scripts or external resources. */
export async function documentationPage(document: Json): Promise<FixedAnswer> {
  const info = document['info'] as Json
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>${info['title']} API</title>
    <style>${raw(style)}</style>
  </head>
  <body>
    <h1>${info['title']} API <small>${info['version']}</small></h1>
    <p>Every request below <code>/api</code> carries <code>Authorization: Bearer …</code>. Errors are
      <code>application/problem+json</code>; branch on their <code>code</code>. Machines read
      <a href="/openapi.json">/openapi.json</a>.</p>
    ${sections(document['paths'] as Record<string, Record<string, Json>>)}
    <h2>Shapes</h2>
    ${Object.entries((document['components'] as Json)['schemas'] as Json).map(
      ([name, schema]) =>
        html`<article id="${name}"><h3>${name}</h3><pre>${JSON.stringify(schema, null, 2)}</pre></article>`,
    )}
  </body>
</html>`
  return {
    body: String(page),
    contentType: 'text/html; charset=utf-8',
    headers: { 'Content-Security-Policy': contentSecurityPolicy },
  }
}

function sections(paths: Record<string, Record<string, Json>>) {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const tags = [...new Set(operations.map(({ operation }) => String((operation['tags'] as string[])[0])))]
  return tags.map(
    (tag) => html`<h2>${tag}</h2>
      ${operations.filter(({ operation }) => (operation['tags'] as string[])[0] === tag).map(article)}`,
  )
}

function article(entry: { path: string; method: string; operation: Json }) {
  const { operation } = entry
  const parameters = operation['parameters'] as readonly Json[]
  const responses = Object.entries(operation['responses'] as Record<string, Json>)
  return html`<article>
    <h3><span class="method">${entry.method}</span> <code>${entry.path}</code></h3>
    <p>${operation['summary']}${needs(operation)}</p>
    ${operation['description'] === undefined ? '' : html`<p>${operation['description']}</p>`}
    ${parameters.length === 0 ? '' : html`<details><summary>Parameters</summary><pre>${JSON.stringify(parameters, null, 2)}</pre></details>`}
    ${operation['requestBody'] === undefined ? '' : html`<details><summary>Body</summary><pre>${JSON.stringify(operation['requestBody'], null, 2)}</pre></details>`}
    <details><summary>Responses</summary><dl>${responses.map(
      ([status, response]) => html`<dt>${status}</dt><dd>${withCode(String(response['description']))}</dd>`,
    )}</dl></details>
  </article>`
}

function needs(operation: Json) {
  if (operation['x-permission'] === undefined) return ''
  const alternatives = (operation['x-permission-alternatives'] ?? []) as readonly string[]
  const others = alternatives.map((permission) => html` or <code>${permission}</code>`)
  return html` Needs <code>${operation['x-permission']}</code>${others}.`
}

/** Formats inline code. OpenAPI descriptions are Markdown (CommonMark); our descriptions use no other markup. */
const withCode = (text: string) =>
  text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : part))
