import { replaceTexts, setTexts, type TextChanges } from '@vertical-kit/ui-client/elements'
import { englishTexts } from './english-texts.ts'

/** The languages of the kit's elements, each in its own words. The page around them is in English. */
export const languages = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  pl: 'Polski',
} as const

export type Language = keyof typeof languages

/**
 * Loads the texts of a language when they are needed: those of the kit, then those of the vertical. Where the vertical has
 * none, elements show the texts of the service.
 */
const packs: Readonly<Record<Language, () => Promise<readonly TextChanges[]>>> = {
  en: async () => [englishTexts],
  async de() {
    const [{ de }, { germanTexts }] = await Promise.all([
      import('@vertical-kit/ui-client/locales/de'),
      import('./german-texts.ts'),
    ])
    return [de, germanTexts]
  },
  es: async () => [(await import('@vertical-kit/ui-client/locales/es')).es],
  fr: async () => [(await import('@vertical-kit/ui-client/locales/fr')).fr],
  it: async () => [(await import('@vertical-kit/ui-client/locales/it')).it],
  pl: async () => [(await import('@vertical-kit/ui-client/locales/pl')).pl],
}

const storageKey = 'demo.language'
const isLanguage = (code: string): code is Language => Object.hasOwn(languages, code)

/** Returns the language that the user has chosen in this browser. The default is English, like the page around the elements. */
export function chosenLanguage(): Language {
  const code = localStorage.getItem(storageKey) ?? ''
  return isLanguage(code) ? code : 'en'
}

let wanted: Language = 'en'

/** Shows the elements in a language. Keeps the current language if the texts cannot be loaded. */
export async function showLanguage(language: Language): Promise<void> {
  wanted = language
  const packsOfLanguage = await packs[language]().catch(() => null)
  // The user may have chosen another language during the load.
  if (packsOfLanguage === null || wanted !== language) return
  replaceTexts({})
  packsOfLanguage.forEach(setTexts)
}

/** Shows the elements in a language, and stores the choice. */
export function chooseLanguage(language: Language): void {
  localStorage.setItem(storageKey, language)
  void showLanguage(language)
}
