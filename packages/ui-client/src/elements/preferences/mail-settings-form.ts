import { html, nothing, type TemplateResult } from 'lit'
import { live } from 'lit/directives/live.js'
import type { MailState } from '../../stores/preferences.ts'
import type { MailSettings } from '../../wire/work-center.ts'
import { loadFailure } from '../parts/load-failure.ts'
import { errorText, type TextsOf } from '../texts.ts'

const hours = Array.from({ length: 24 }, (_, hour) => hour)

/** Renders when mails are sent, or why this cannot be loaded. A change saves the time zone of the browser. */
export function mailSettingsForm(
  mail: MailState,
  { preferences: texts }: TextsOf<'preferences'>,
  { save, load }: { save(settings: MailSettings): void; load(): void },
): TemplateResult | typeof nothing {
  const { settings } = mail
  if (settings === null) return loadFailure('error' in mail ? mail.error : null, load)
  const change = (part: Partial<MailSettings>) => {
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
    save({ ...settings, timeZone, ...part })
  }
  const setDelivery = ({ target }: Event) =>
    change({ delivery: (target as HTMLSelectElement).value as MailSettings['delivery'] })
  const setHour = ({ target }: Event) => change({ dailyHour: Number((target as HTMLSelectElement).value) })
  return html`<fieldset part="group" aria-busy=${mail.status === 'saving'}>
    <legend>${texts.mails}</legend>
    <div class="mails">
      <select part="field" aria-label=${texts.delivery} .value=${live(settings.delivery)} @change=${setDelivery}>
        <option value="Immediately" ?selected=${settings.delivery === 'Immediately'}>${texts.immediately}</option>
        <option value="Daily" ?selected=${settings.delivery === 'Daily'}>${texts.daily}</option>
      </select>
      ${
        settings.delivery === 'Daily'
          ? html`<select part="field" aria-label=${texts.dailyHour} .value=${live(`${settings.dailyHour}`)} @change=${setHour}>
                ${hours.map(
                  (hour) =>
                    html`<option value=${hour} ?selected=${hour === settings.dailyHour}>
                      ${String(hour).padStart(2, '0')}:00
                    </option>`,
                )}
              </select>
              <span class="small muted">${texts.timeZone(settings.timeZone)}</span>`
          : nothing
      }
    </div>
    ${
      mail.status === 'failed'
        ? html`<div part="error" class="banner" role="alert"><span>${errorText(mail.error)}</span></div>`
        : nothing
    }
  </fieldset>`
}
