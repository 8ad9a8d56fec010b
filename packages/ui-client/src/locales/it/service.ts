import type { Texts } from '../../elements/texts.ts'

/** The titles of the kit's own notifications. */
export const items: Texts['items'] = {
  'work_center.object_changed': ({ actor = '', title = '' }) => `${actor} ha lavorato su ${title}`,
  'notes.mentioned': ({ actor = '', title = '' }) => `${actor} L’ha menzionata in ${title}`,
  'work_center.task_forwarded.to_reader': ({ actor = '', title = '' }) =>
    `${title}: inoltrata a Lei da ${actor}`,
  'work_center.task_forwarded.to_role': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: inoltrata al ruolo ${recipient} da ${actor}`,
  'work_center.task_forwarded.from_reader': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: inoltrata a ${recipient} da ${actor}`,
}

/** The texts for the codes of the kit. */
export const service: Texts['service'] = {
  actions: {
    post: { label: 'Registra', description: 'Registra il documento in contabilità.' },
    unpost: {
      label: 'Storna registrazione',
      description: 'Storna la registrazione del documento, in modo che possa essere modificato.',
      confirmation: {
        title: 'Stornare la registrazione di questo documento?',
        message: 'I suoi effetti contabili vengono annullati. Ritorna a essere una bozza.',
        confirmLabel: 'Storna registrazione',
      },
    },
    repost: {
      label: 'Registra di nuovo',
      description: 'Annulla gli effetti contabili del documento e lo registra di nuovo.',
      confirmation: {
        title: 'Registrare di nuovo questo documento?',
        message: 'I suoi effetti contabili vengono annullati e registrati di nuovo.',
        confirmLabel: 'Registra di nuovo',
      },
    },
    mark_for_deletion: {
      label: 'Contrassegna per l’eliminazione',
      description: 'Mette il documento fuori uso. Potrà ripristinarlo in seguito.',
      confirmation: {
        title: 'Contrassegnare questo documento per l’eliminazione?',
        message:
          'Il documento, i suoi allegati e le sue note vengono messi fuori uso. Potrà ripristinarli in seguito.',
        confirmLabel: 'Contrassegna per l’eliminazione',
      },
    },
    unmark_for_deletion: { label: 'Ripristina', description: 'Riporta il documento allo stato di bozza.' },
  },
  reasons: {
    'document.not_marked_for_deletion': 'Il documento non è contrassegnato per l’eliminazione.',
    'document.marked_for_deletion': 'Il documento è contrassegnato per l’eliminazione.',
    'document.not_posted': 'Il documento non è registrato.',
    'document.already_posted': 'Il documento è già registrato.',
    'document.posted': 'Il documento è registrato.',
  },
  remedies: {
    'document.marked_for_deletion': 'Ripristini il documento.',
    'document.posted': 'Storni prima la registrazione.',
  },
  definitions: {
    'work_center.object_changed': {
      name: 'Modifiche agli oggetti seguiti',
      description: 'Un’altra persona ha lavorato su un oggetto che Lei segue.',
    },
    'notes.mentioned': {
      name: 'Menzioni nelle note',
      description: 'Qualcuno L’ha menzionata in una nota.',
    },
    'work_center.task_forwarded': {
      name: 'Attività inoltrata',
      description: 'Un’attività è stata inoltrata a Lei o a un altro utente.',
    },
  },
  features: { Notes: 'Note', Attachments: 'Allegati' },
  permissions: {
    'system.attachments.read': {
      name: 'Leggere gli allegati',
      description: 'Elencare e scaricare gli allegati degli oggetti che l’utente può leggere.',
    },
    'system.attachments.create': {
      name: 'Caricare allegati',
      description:
        'Caricare file negli oggetti che l’utente può leggere e annullare i propri caricamenti in corso.',
    },
    'system.attachments.delete': {
      name: 'Eliminare allegati',
      description: 'Eliminare gli allegati di qualsiasi utente. I file restano scaricabili dalla cronologia.',
    },
    'system.notes.read': {
      name: 'Leggere le note',
      description: 'Leggere le note degli oggetti che l’utente può leggere.',
    },
    'system.notes.create': {
      name: 'Scrivere note',
      description: 'Aggiungere note agli oggetti che l’utente può leggere.',
    },
    'system.notes.update': {
      name: 'Modificare le note',
      description: 'Modificare il testo di qualsiasi nota, anche di altri utenti.',
    },
    'system.notes.delete': {
      name: 'Eliminare le note',
      description: 'Eliminare qualsiasi nota, anche di altri utenti. Il testo resta nella cronologia.',
    },
    'system.work_center.supervise': {
      name: 'Supervisionare le attività',
      description:
        'Vedere, inoltrare e rilasciare le attività di tutti gli utenti e nominare i loro sostituti. Mostra solo le attività il cui oggetto è visibile per l’utente.',
    },
    'system.permissions.view': {
      name: 'Vedere le autorizzazioni',
      description: 'Elencare tutte le autorizzazioni che un ruolo può ricevere.',
    },
    'system.roles.view': {
      name: 'Vedere i ruoli',
      description: 'Elencare i ruoli e le loro autorizzazioni.',
    },
    'system.roles.manage': {
      name: 'Gestire i ruoli',
      description: 'Creare, rinominare, disattivare e riattivare i ruoli e modificarne le autorizzazioni.',
    },
    'system.users.view': { name: 'Vedere gli utenti', description: 'Elencare gli utenti e i loro ruoli.' },
    'system.users.manage': {
      name: 'Gestire gli utenti',
      description: 'Invitare utenti, assegnare loro ruoli, disattivarli e riattivarli.',
    },
    'system.outbox.manage': {
      name: 'Gestire la posta in uscita',
      description: 'Vedere gli eventi in sospeso e falliti e ripetere o scartare questi ultimi.',
    },
    'system.audit.view': {
      name: 'Vedere la cronologia',
      description:
        'Leggere la cronologia di tutti gli oggetti leggibili, degli oggetti eliminati, dei ruoli, degli utenti e degli eventi della posta in uscita.',
    },
  },
  roles: {},
  groups: {
    'Attachments & Notes': 'Allegati e note',
    'Document actions': 'Azioni sui documenti',
    'Work Center': 'Centro di lavoro',
    'Users & Roles': 'Utenti e ruoli',
    Operations: 'Operatività',
    Audit: 'Cronologia',
    Conversation: 'Conversazione',
  },
}
