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
  de: () =>
    Promise.all([
      import('@vertical-kit/ui-client/locales/de').then(({ de }) => de),
      import('./german-texts.ts').then(({ germanTexts }) => germanTexts),
    ]),
  es: () =>
    Promise.all([
      import('@vertical-kit/ui-client/locales/es').then(({ es }) => es),
      import('./spanish-texts.ts').then(({ spanishTexts }) => spanishTexts),
    ]),
  fr: () =>
    Promise.all([
      import('@vertical-kit/ui-client/locales/fr').then(({ fr }) => fr),
      import('./french-texts.ts').then(({ frenchTexts }) => frenchTexts),
    ]),
  it: () =>
    Promise.all([
      import('@vertical-kit/ui-client/locales/it').then(({ it }) => it),
      import('./italian-texts.ts').then(({ italianTexts }) => italianTexts),
    ]),
  pl: () =>
    Promise.all([
      import('@vertical-kit/ui-client/locales/pl').then(({ pl }) => pl),
      import('./polish-texts.ts').then(({ polishTexts }) => polishTexts),
    ]),
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
