import { html, type TemplateResult } from 'lit'
import type { App } from '../app.ts'
import type { DemoUser } from '../page-settings.ts'

/**
 * Renders the sign-in page. It lists all demo users, because their password is public. After the end of a session, it says
 * whether the user's input is kept.
 */
export function signInView(
  { settings, identity, router }: App,
  { hasKeptInput }: { readonly hasKeptInput: boolean },
): TemplateResult {
  const notice = identity.$notice.get()
  const signIn = (name?: string) => void identity.signIn({ ...(name && { name }), returnTo: router.path() })
  return html`<main class="door"><div class="door-card">
    <h1>Vertical Kit demo</h1>
    <p class="lead">A small trade application: invoices, orders, payments and their accounting.</p>
    ${notice === null ? '' : html`<p class="notice" role="alert">${notice}${hasKeptInput ? ' Your input is kept until then.' : ''}</p>`}
    <button class="button primary wide" id="sign-in" @click=${() => signIn()}>Sign in</button>
    <h2>Or sign in as a demo user</h2>
    <p class="hint">All demo users have the password <code>demo</code>.</p>
    <ul class="people">${settings.users.map((user) => html`<li>${userButton(user, signIn)}</li>`)}</ul>
    <p class="hint"><a href="/about">About this demo and its API</a></p>
  </div></main>`
}

function userButton(user: DemoUser, signIn: (name: string) => void): TemplateResult {
  const roles = user.roles.length === 0 ? 'no role' : user.roles.join(', ')
  return html`<button class="person" data-user=${user.name} @click=${() => signIn(user.name)}>
    <span class="person-name">${user.displayName}</span>
    <span class="person-role">${user.name} · ${roles}${user.isActive ? '' : ', deactivated'}</span>
  </button>`
}
