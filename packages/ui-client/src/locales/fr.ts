import type { Texts } from '../elements/texts.ts'
import { administration } from './fr/administration.ts'
import { attachments, notes } from './fr/content.ts'
import { actions, audit, live } from './fr/documents.ts'
import { errors } from './fr/errors.ts'
import { items, service } from './fr/service.ts'
import { team, workCenter } from './fr/work-center.ts'

/** The French texts of all elements. */
export const fr: Texts = {
  locale: 'fr',
  common: {
    cancel: 'Annuler',
    close: 'Fermer',
    delete: 'Supprimer',
    loading: 'Chargement…',
    retry: 'Réessayer',
    showMore: 'Afficher plus',
    loadFailed: 'Impossible de charger ce contenu.',
    moreFailed: 'Impossible de charger la suite.',
    requestId: (id) => `Si vous contactez l’assistance, indiquez cet identifiant de requête : ${id}`,
  },
  feedback: {
    title: 'Messages',
    undo: 'Annuler',
    undoOf: (text) => `Annuler l’opération : ${text}`,
    dismissOf: (text) => `Fermer : ${text}`,
    hint: 'Appuyez sur F8, puis sur Entrée, pour annuler.',
  },
  preferences: {
    title: 'Préférences de notification',
    task: 'Tâche',
    notification: 'Notification',
    mandatory: 'Cette option ne peut pas être désactivée.',
    empty: 'Vous n’avez aucune préférence de notification.',
    emptyHint: 'Aucun de vos rôles ne reçoit de tâches ou de notifications.',
    saving: 'Enregistrement…',
    inApp: 'Dans l’application',
    byMail: 'Par e-mail',
    mails: 'E-mails',
    delivery: 'Envoi des e-mails',
    immediately: 'Immédiatement',
    daily: 'Une fois par jour',
    dailyHour: 'Heure de l’e-mail quotidien',
    timeZone: (name) => `Fuseau horaire : ${name}`,
  },
  actions,
  administration,
  attachments,
  audit,
  errors,
  items,
  live,
  notes,
  service,
  team,
  workCenter,
}
