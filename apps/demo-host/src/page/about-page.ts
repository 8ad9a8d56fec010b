import { createHash } from 'node:crypto'
import type { FixedAnswer } from '@vertical-kit/core-audit/host'
import { html, raw } from 'hono/html'
import { demoPassword, demoUsers } from '../demo-users.ts'

const style = `
:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:44rem;margin:0 auto;padding:1.5rem}
code,pre{font:14px/1.45 ui-monospace,monospace}pre{overflow:auto;background:#8881;padding:.75rem;border-radius:.4rem}
table{border-collapse:collapse}td,th{text-align:left;padding:.25rem 1.5rem .25rem 0;border-bottom:1px solid #8884}`

const styleHash = createHash('sha256').update(style).digest('base64')

/** Returns the page at `/about`, which lists the links and users of the demo. The page works without scripts. */
export async function aboutPage(
  issuer: string,
  { hasMails }: { readonly hasMails: boolean },
): Promise<FixedAnswer> {
  const page = await html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width,initial-scale=1" />
    <title>Vertical Kit demo</title>
    <style>${raw(style)}</style>
  </head>
  <body>
    <h1>Vertical Kit demo</h1>
    <p>A small trade application with document actions, a Work Center, attachments, notes, feature flags and an
      audit timeline, composed from the Vertical Kit packages.</p>
    <ul>
      <li><a href="/">The application</a></li>
      ${hasMails ? html`<li><a href="/mails">Mails that the demo has received</a></li>` : ''}
      <li><a href="/docs">API documentation</a></li>
      <li><a href="/openapi.json">OpenAPI 3.1 document</a></li>
      <li><a href="/health">Health</a></li>
    </ul>
    <h2>Sign in</h2>
    <p>Everybody's password is <code>${demoPassword}</code>. A token for a script:</p>
    <pre>${tokenCommand(issuer, 'clerk')}</pre>
    <table>
      <thead><tr><th>Name</th><th>Who</th><th>Roles</th></tr></thead>
      <tbody>${demoUsers.map(
        (user) =>
          html`<tr><td><code>${user.subject}</code></td><td>${user.displayName}</td><td>${rolesInWords(user)}</td></tr>`,
      )}</tbody>
    </table>
  </body>
</html>`
  return {
    body: String(page),
    contentType: 'text/html; charset=UTF-8',
    headers: {
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${styleHash}'; frame-ancestors 'none'`,
    },
  }
}

/** Returns a shell command that requests an access token. */
export function tokenCommand(issuer: string, subject: string): string {
  const form = `grant_type=password&client_id=demo-cli&username=${subject}&password=${demoPassword}`
  return `curl -s ${issuer}/token -d '${form}'`
}

function rolesInWords({ tokenRoles, roleCodes, isActive }: (typeof demoUsers)[number]): string {
  const roles = [...tokenRoles.map((role) => `${role} (in the token)`), ...roleCodes].join(', ')
  return `${roles === '' ? 'none' : roles}${isActive ? '' : ', deactivated'}`
}
