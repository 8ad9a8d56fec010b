import { atom, type ReadableAtom } from 'nanostores'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const storageKey = 'demo.theme'
const $current = atom<Theme>(read())

/** The theme of the page: the system's theme, or the theme that the user has chosen in this browser. */
export const $theme: ReadableAtom<Theme> = $current

$current.subscribe((theme) => {
  if (theme === 'system') delete document.documentElement.dataset['theme']
  else document.documentElement.dataset['theme'] = theme
})

/** Changes the theme and stores the choice. */
export function setTheme(theme: Theme): void {
  if (theme === 'system') localStorage.removeItem(storageKey)
  else localStorage.setItem(storageKey, theme)
  $current.set(theme)
}

function read(): Theme {
  const kept = localStorage.getItem(storageKey)
  return themes.find((theme) => theme === kept) ?? 'system'
}
