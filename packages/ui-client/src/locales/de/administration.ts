import type { Texts } from '../../elements/texts.ts'
import { named } from '../named.ts'
import { pluralOf } from '../plural.ts'

const plural = pluralOf('de')
const people = (count: number): string => `${count} ${plural(count, ['Person', 'Personen'])}`

export const administration: Texts['administration'] = {
  save: 'Speichern',
  refresh: 'Aktualisieren',
  filters: 'Filter',

  users: 'Benutzer',
  search: 'Nach Name, E-Mail-Adresse oder Kennung suchen',
  show: 'Anzeigen',
  allUsers: 'Alle Benutzer',
  activeUsers: 'Aktive Benutzer',
  inactiveUsers: 'Deaktivierte Benutzer',
  noUsers: 'Keine passenden Benutzer.',
  inactive: 'Deaktiviert',
  noRoles: 'Keine Rollen',
  editRoles: 'Rollen',
  rolesOf: (name) => `Rollen von ${name}`,
  rolesSaved: (name) => `Die Rollen von ${name} wurden geändert. Sie gelten ab der nächsten Anfrage.`,
  deactivate: 'Deaktivieren',
  deactivateTitle: (name) => `${name} deaktivieren?`,
  deactivateMessage:
    'Diese Person kann die Anwendung ab der nächsten Anfrage nicht mehr nutzen. Ihre Arbeit und ihre Rollen bleiben erhalten.',
  reactivate: 'Reaktivieren',
  reactivateTitle: (name) => `${name} reaktivieren?`,
  reactivateMessage: 'Diese Person kann die Anwendung wieder nutzen, mit ihren bisherigen Rollen.',
  deactivated: (name) => `${name} wurde deaktiviert.`,
  reactivated: (name) => `${name} wurde reaktiviert.`,
  invite: 'Person einladen',
  subject: 'Kennung',
  subjectHint:
    'Der Benutzername oder die ID, mit der Ihr Anmeldedienst diese Person identifiziert (der Claim „sub“).',
  name: 'Anzeigename',
  email: 'E-Mail-Adresse (optional)',
  sendInvitation: 'Einladen',
  invited: (name) => `${name} wurde eingeladen und kann sich jetzt anmelden.`,

  roles: 'Rollen',
  noRolesYet: 'Es gibt keine Rollen.',
  addRole: 'Rolle hinzufügen',
  editRole: 'Bearbeiten',
  editRoleOf: (name) => `${name} bearbeiten`,
  code: 'Rollencode',
  codeHint:
    'Kleinbuchstaben und Ziffern, in Teilen mit einem Punkt, Binde- oder Unterstrich dazwischen, zum Beispiel sales.clerk. Aufgaben und Tokens nennen die Rolle mit diesem Code.',
  description: 'Beschreibung (optional)',
  roleAdded: (name) => `${name} wurde hinzugefügt. Wählen Sie die Berechtigungen.`,
  switchOff: 'Ausschalten',
  switchOffTitle: (name) => `${name} ausschalten?`,
  switchOffMessage: (count) =>
    count === 0
      ? 'Zurzeit hat niemand diese Rolle. Sie können sie wieder einschalten.'
      : `Sie gewährt ${people(count)} nichts mehr, ab der jeweils nächsten Anfrage. Sie können sie wieder einschalten.`,
  switchedOffRole: (name) => `${name} wurde ausgeschaltet.`,
  switchOn: 'Einschalten',
  switchOnTitle: (name) => `${name} einschalten?`,
  switchOnMessage: (count) =>
    count === 0
      ? 'Zurzeit hat niemand diese Rolle.'
      : `Sie gewährt ${people(count)} ihre Berechtigungen, ab der jeweils nächsten Anfrage.`,
  switchedOnRole: (name) => `${name} wurde eingeschaltet.`,
  assignedTo: (count) => `${people(count)} zugewiesen`,
  protected: 'Geschützt',
  protectedReason:
    'Diese Rolle gewährt alle Berechtigungen, weil sie in der Installation als Administratorrolle festgelegt ist. Ihre Berechtigungen können hier nicht geändert werden.',
  readOnly: 'Sie können die Berechtigungen dieser Rolle sehen, aber nicht ändern.',
  switchedOff: 'Ausgeschaltet',
  permissions: 'Berechtigungen',
  resource: named({
    'system.attachments': 'Anhänge',
    'system.audit': 'Protokoll',
    'system.notes': 'Notizen',
    'system.outbox': 'Postausgang',
    'system.permissions': 'Berechtigungen',
    'system.roles': 'Rollen',
    'system.users': 'Benutzer',
    'system.work_center': 'Arbeitsbereich',
  }),
  resourceColumn: 'Ressource',
  action: named({
    create: 'Anlegen',
    delete: 'Löschen',
    edit: 'Bearbeiten',
    manage: 'Verwalten',
    mark_for_deletion: 'Zum Löschen vormerken',
    post: 'Buchen',
    read: 'Lesen',
    repost: 'Neu buchen',
    supervise: 'Beaufsichtigen',
    unpost: 'Buchung aufheben',
    update: 'Ändern',
    view: 'Anzeigen',
    view_audit: 'Verlauf anzeigen',
  }),
  notRegistered: 'Gewährt, aber in dieser Version unbekannt',
  unchanged: 'Keine Änderungen.',
  changeCount: (added, removed) => `${added} hinzugefügt, ${removed} entfernt`,
  reset: 'Zurücksetzen',
  review: 'Prüfen und speichern',
  reviewTitle: (name) => `${name} ändern?`,
  reviewMessage: (count) =>
    count === 0
      ? 'Derzeit hat niemand diese Rolle.'
      : `Dies betrifft ${people(count)}, ab der jeweils nächsten Anfrage.`,
  changes: 'Änderungen',
  adds: (permission) => `Fügt hinzu: ${permission}`,
  removes: (permission) => `Entfernt: ${permission}`,
  roleSaved: (name) => `${name} wurde gespeichert.`,
  conflict:
    'Ein anderer Administrator hat diese Rolle geändert. Ihre Änderungen bleiben erhalten und gelten jetzt für die aktuellen Berechtigungen. Prüfen Sie sie und speichern Sie erneut.',

  outbox: 'Postausgang',
  consumers: 'Empfänger',
  consumer: 'Empfänger',
  pending: 'Ausstehend',
  oldest: 'Ältestes',
  dead: 'Unzustellbar',
  deadLetters: 'Unzustellbare Ereignisse',
  noDeadLetters:
    'Keine unzustellbaren Ereignisse. Jedes Ereignis wurde verarbeitet oder wird noch verarbeitet.',
  attempts: (count) => `${count} ${plural(count, ['Versuch', 'Versuche'])}`,
  deadSince: (time) => `Fehlgeschlagen: ${time}`,
  heldBack: (count) => `${count} ${plural(count, ['späteres Ereignis wartet', 'spätere Ereignisse warten'])}`,
  notEnded: 'Der letzte Versuch wurde nicht beendet: Sein Prozess wurde gestoppt oder war zu langsam.',
  showAttempts: 'Versuche',
  historyFailed: 'Die Versuche konnten nicht geladen werden.',
  outcomes: { completed: 'Abgeschlossen', failed: 'Fehlgeschlagen', abandoned: 'Nicht beendet' },
  retry: 'Wiederholen',
  retryTitle: 'Dieses Ereignis erneut zustellen?',
  retryMessage:
    'Tun Sie dies, wenn die Ursache behoben ist. Spätere Ereignisse desselben Objekts folgen der Reihe nach.',
  retried: 'Das Ereignis wird erneut zugestellt.',
  discard: 'Verwerfen',
  discardTitle: 'Dieses Ereignis verwerfen?',
  discardMessage: (consumer) =>
    `${consumer} wird dieses Ereignis nie verarbeiten. Spätere Ereignisse desselben Objekts werden fortgesetzt. Dies kann nicht rückgängig gemacht werden.`,
  discarded: 'Das Ereignis wurde verworfen.',
  reason: 'Grund',
  reasonMissing: 'Geben Sie einen Grund an. Er wird protokolliert.',
  reasonTooLong: 'Geben Sie höchstens 1.000 Zeichen ein.',

  status: 'Systemstatus',
  health: 'Zustand',
  part: 'Komponente',
  state: 'Status',
  states: { Healthy: 'In Ordnung', Degraded: 'Eingeschränkt', Unhealthy: 'Gestört' },
  duration: 'Antwortzeit',
  failed: 'Fehlgeschlagen',
  detail: 'Einzelheiten',
  features: 'Funktionen',
  feature: 'Funktion',
  featureGroup: 'Gruppe',
  on: 'Ein',
  off: 'Aus',
  versions: 'Versionen',
  release: (title, version) => `${title}: Version ${version} von Vertical Kit`,
}
