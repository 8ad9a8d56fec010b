/** What the page asks its host before anybody can sign in. */
export interface PageSettings {
  readonly issuer: string
  readonly clientId: string
  /** Who can sign in at the demo. */
  readonly users: readonly DemoUser[]
}

/** Somebody who can sign in: shown at the door, since this is a demo. */
export interface DemoUser {
  readonly name: string
  readonly displayName: string
  readonly roles: readonly string[]
  readonly isActive: boolean
}

/** Asks the host. */
export async function loadPageSettings(): Promise<PageSettings> {
  const response = await fetch('/page-settings.json')
  if (!response.ok) throw new Error(`/page-settings.json answered ${response.status}`)
  return (await response.json()) as PageSettings
}
