/** The settings that the page loads from its host before the sign-in. */
export interface PageSettings {
  readonly issuer: string
  readonly clientId: string
  /** The users of the demo. */
  readonly users: readonly DemoUser[]
}

/** A demo user. The sign-in page lists all demo users. */
export interface DemoUser {
  readonly name: string
  readonly displayName: string
  readonly roles: readonly string[]
  readonly isActive: boolean
}

/** Loads the settings from the host. */
export async function loadPageSettings(): Promise<PageSettings> {
  const response = await fetch('/page-settings.json')
  if (!response.ok) throw new Error(`/page-settings.json returned ${response.status}`)
  return (await response.json()) as PageSettings
}
