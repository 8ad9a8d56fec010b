import { createHash } from 'node:crypto'

/** An HTML page without scripts. Its content security policy allows the inline style by its hash. */
export interface Page {
  readonly html: string
  /** The allowed `form-action` sources. Chromium also applies them to redirects after a submission. */
  readonly formTargets: readonly string[]
}

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { display: grid; min-height: 100vh; margin: 0; place-items: center }
main { box-sizing: border-box; width: min(24rem, 100%); padding: 1.5rem }
label { display: block; margin-top: 1rem; font-weight: 600 }
input, button { box-sizing: border-box; width: 100%; padding: .6rem; font: inherit }
button { margin-top: 1.5rem }
[role=alert] { border-left: .25rem solid; padding-left: .75rem; font-weight: 600 }`

const styleHash = createHash('sha256').update(style).digest('base64')

/** Renders the form for name and password; `message` describes the error of the previous attempt. */
export function signInPage(request: {
  readonly clientId: string
  readonly username: string
  readonly message: string | undefined
  readonly redirectUri: string
}): Page {
  const alert = request.message ? `<p id="message" role="alert">${escapeHtml(request.message)}</p>` : ''
  // If the user name is known, focus the password field.
  const [nameFocus, passwordFocus] = request.username === '' ? [' autofocus', ''] : ['', ' autofocus']
  const described = request.message ? ' aria-invalid="true" aria-describedby="message"' : ''
  return {
    html: layout(
      'Sign in',
      `<p>to continue to ${escapeHtml(request.clientId)}</p>
${alert}
<form method="post">
<label for="username">User name</label>
<input id="username" name="username" value="${escapeHtml(request.username)}" autocomplete="username"
  autocapitalize="none" spellcheck="false" required${nameFocus}${described}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required${passwordFocus}${described}>
<button type="submit">Sign in</button>
</form>`,
    ),
    formTargets: ["'self'", new URL(request.redirectUri).origin],
  }
}

/** Renders the page with the reason why sign-in is not possible. `application` is the address at which the user can start again. */
export function errorPage(message: string, application: string | null = null): Page {
  const back = 'Go back to the application'
  const link = application === null ? back : `<a href="${escapeHtml(application)}">${back}</a>`
  return {
    html: layout(
      'Sign-in is not possible',
      `<p role="alert">${escapeHtml(message)}</p>
<p>${link} and start again.</p>`,
    ),
    formTargets: ["'none'"],
  }
}

/** Returns the headers of a page. They forbid scripts, external content, framing and caching. */
export function pageHeaders(page: Page): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      `default-src 'none'; style-src 'sha256-${styleHash}'; form-action ${page.formTargets.join(' ')}; ` +
      "frame-ancestors 'none'; base-uri 'none'",
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  }
}

function layout(title: string, body: string): string {
  return `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
