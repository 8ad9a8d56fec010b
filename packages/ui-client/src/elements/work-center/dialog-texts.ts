import type { SnoozePreset } from '../../stores/work-center-snooze.ts'

/** Texts of the dialogs of the Work Center. */
export const workCenterDialogTexts = {
  snoozeTitle: 'Snooze until',
  presets: {
    inOneHour: 'In one hour',
    thisEvening: 'This evening',
    tomorrowMorning: 'Tomorrow morning',
    nextWeek: 'Next week',
  } satisfies Record<SnoozePreset['code'], string> as Readonly<Record<SnoozePreset['code'], string>>,
  otherTime: 'Choose a date and time',
  mustBeAhead: 'Choose a time in the future.',
}

/** The English texts of this part. */
export const workCenterDialogsEnglish = { workCenter: workCenterDialogTexts }
