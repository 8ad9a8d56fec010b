import type { Texts } from '../../elements/texts.ts'

/** The titles of the kit's own notifications. */
export const items: Texts['items'] = {
  'work_center.object_changed': ({ actor = '', title = '' }) => `${actor} hat ${title} bearbeitet`,
  'notes.mentioned': ({ actor = '', title = '' }) => `${actor} hat Sie bei ${title} erwähnt`,
  'work_center.task_forwarded.to_reader': ({ actor = '', title = '' }) =>
    `${title}: von ${actor} an Sie weitergeleitet`,
  'work_center.task_forwarded.to_role': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: von ${actor} an die Rolle ${recipient} weitergeleitet`,
  'work_center.task_forwarded.from_reader': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: von ${actor} an ${recipient} weitergeleitet`,
}

/** The texts for the codes of the kit. */
export const service: Texts['service'] = {
  actions: {
    post: { label: 'Buchen', description: 'Bucht den Beleg.' },
    unpost: {
      label: 'Buchung aufheben',
      description: 'Nimmt die Buchung des Belegs zurück, damit er bearbeitet werden kann.',
      confirmation: {
        title: 'Buchung dieses Belegs aufheben?',
        message: 'Seine Auswirkungen auf die Bücher werden rückgängig gemacht. Er wird wieder ein Entwurf.',
        confirmLabel: 'Buchung aufheben',
      },
    },
    repost: {
      label: 'Neu buchen',
      description: 'Macht die Auswirkungen auf die Bücher rückgängig und bucht den Beleg neu.',
      confirmation: {
        title: 'Diesen Beleg neu buchen?',
        message: 'Seine Auswirkungen auf die Bücher werden rückgängig gemacht und neu gebucht.',
        confirmLabel: 'Neu buchen',
      },
    },
    mark_for_deletion: {
      label: 'Zum Löschen vormerken',
      description: 'Nimmt den Beleg außer Gebrauch. Sie können ihn später wiederherstellen.',
      confirmation: {
        title: 'Diesen Beleg zum Löschen vormerken?',
        message:
          'Der Beleg wird mit seinen Anhängen und Notizen außer Gebrauch genommen. Sie können alles später wiederherstellen.',
        confirmLabel: 'Zum Löschen vormerken',
      },
    },
    unmark_for_deletion: {
      label: 'Wiederherstellen',
      description: 'Macht den Beleg wieder zu einem Entwurf.',
    },
  },
  reasons: {
    'document.not_marked_for_deletion': 'Der Beleg ist nicht zum Löschen vorgemerkt.',
    'document.marked_for_deletion': 'Der Beleg ist zum Löschen vorgemerkt.',
    'document.not_posted': 'Der Beleg ist nicht gebucht.',
    'document.already_posted': 'Der Beleg ist bereits gebucht.',
    'document.posted': 'Der Beleg ist gebucht.',
  },
  remedies: {
    'document.marked_for_deletion': 'Stellen Sie den Beleg wieder her.',
    'document.posted': 'Heben Sie zuerst die Buchung auf.',
  },
  definitions: {
    'work_center.object_changed': {
      name: 'Änderungen an verfolgten Objekten',
      description: 'Eine andere Person hat ein Objekt bearbeitet, dem Sie folgen.',
    },
    'notes.mentioned': {
      name: 'Erwähnungen in Notizen',
      description: 'Jemand hat Sie in einer Notiz erwähnt.',
    },
    'work_center.task_forwarded': {
      name: 'Aufgabe weitergeleitet',
      description: 'Eine Aufgabe wurde an Sie oder an einen anderen Benutzer weitergeleitet.',
    },
  },
  features: { Notes: 'Notizen', Attachments: 'Anhänge' },
  permissions: {
    'system.attachments.read': {
      name: 'Anhänge lesen',
      description: 'Anhänge der Objekte anzeigen und herunterladen, die der Benutzer lesen darf.',
    },
    'system.attachments.create': {
      name: 'Anhänge hochladen',
      description:
        'Dateien zu lesbaren Objekten hochladen und eigene Uploads abbrechen, bis sie abgeschlossen sind.',
    },
    'system.attachments.delete': {
      name: 'Anhänge löschen',
      description: 'Anhänge aller Benutzer löschen. Über den Verlauf bleiben die Dateien abrufbar.',
    },
    'system.notes.read': {
      name: 'Notizen lesen',
      description: 'Notizen der Objekte lesen, die der Benutzer lesen darf.',
    },
    'system.notes.create': {
      name: 'Notizen schreiben',
      description: 'Notizen zu Objekten hinzufügen, die der Benutzer lesen darf.',
    },
    'system.notes.update': {
      name: 'Notizen bearbeiten',
      description: 'Den Text jeder Notiz ändern, auch von anderen Benutzern.',
    },
    'system.notes.delete': {
      name: 'Notizen löschen',
      description: 'Jede Notiz löschen, auch von anderen Benutzern. Der Text bleibt im Verlauf.',
    },
    'system.work_center.supervise': {
      name: 'Aufgaben beaufsichtigen',
      description:
        'Aufgaben aller Benutzer sehen, weiterleiten und freigeben sowie Vertretungen festlegen. Zeigt nur Aufgaben, deren Objekt der Benutzer sehen darf.',
    },
    'system.permissions.view': {
      name: 'Berechtigungen anzeigen',
      description: 'Alle Berechtigungen auflisten, die eine Rolle erhalten kann.',
    },
    'system.roles.view': {
      name: 'Rollen anzeigen',
      description: 'Rollen und ihre Berechtigungen auflisten.',
    },
    'system.roles.manage': {
      name: 'Rollen verwalten',
      description:
        'Rollen anlegen, umbenennen, deaktivieren und reaktivieren sowie ihre Berechtigungen ändern.',
    },
    'system.users.view': { name: 'Benutzer anzeigen', description: 'Benutzer und ihre Rollen auflisten.' },
    'system.users.manage': {
      name: 'Benutzer verwalten',
      description: 'Benutzer einladen, ihnen Rollen zuweisen, sie deaktivieren und reaktivieren.',
    },
    'system.outbox.manage': {
      name: 'Postausgang verwalten',
      description: 'Ausstehende und fehlgeschlagene Ereignisse sehen, wiederholen oder verwerfen.',
    },
    'system.audit.view': {
      name: 'Verlauf anzeigen',
      description:
        'Den Verlauf aller lesbaren Objekte, gelöschter Objekte sowie der Rollen, Benutzer und Ereignisse des Postausgangs lesen.',
    },
  },
  roles: {},
  groups: {
    'Attachments & Notes': 'Anhänge und Notizen',
    'Document actions': 'Belegaktionen',
    'Work Center': 'Arbeitsbereich',
    'Users & Roles': 'Benutzer und Rollen',
    Operations: 'Betrieb',
    Audit: 'Protokoll',
    Conversation: 'Austausch',
  },
}
