import { html, type TemplateResult } from 'lit'
import { chooseLanguage, chosenLanguage, type Language, languages } from '../language.ts'

/** Renders the choice of the language of the kit's elements. */
export const languageChoice = (): TemplateResult =>
  html`<label class="row">
    Language of the panels
    <select
      class="input"
      @change=${({ target }: Event) => chooseLanguage((target as HTMLSelectElement).value as Language)}
    >
      ${Object.entries(languages).map(
        ([code, name]) =>
          html`<option value=${code} lang=${code} ?selected=${code === chosenLanguage()}>${name}</option>`,
      )}
    </select>
  </label>`
