import type { Texts } from '../../elements/texts.ts'

/** The titles of the kit's own notifications. */
export const items: Texts['items'] = {
  'work_center.object_changed': ({ actor = '', title = '' }) => `${actor} a travaillé sur ${title}`,
  'notes.mentioned': ({ actor = '', title = '' }) => `${actor} vous a mentionné sur ${title}`,
  'work_center.task_forwarded.to_reader': ({ actor = '', title = '' }) =>
    `${title} : transféré à vous par ${actor}`,
  'work_center.task_forwarded.to_role': ({ actor = '', title = '', recipient = '' }) =>
    `${title} : transféré au rôle ${recipient} par ${actor}`,
  'work_center.task_forwarded.from_reader': ({ actor = '', title = '', recipient = '' }) =>
    `${title} : transféré à ${recipient} par ${actor}`,
}

/** The texts for the codes of the kit. */
export const service: Texts['service'] = {
  actions: {
    post: { label: 'Comptabiliser', description: 'Comptabilise le document.' },
    unpost: {
      label: 'Décomptabiliser',
      description: 'Annule la comptabilisation du document pour qu’il puisse être modifié.',
      confirmation: {
        title: 'Décomptabiliser ce document ?',
        message: 'Ses effets comptables sont annulés. Il redevient un brouillon.',
        confirmLabel: 'Décomptabiliser',
      },
    },
    repost: {
      label: 'Recomptabiliser',
      description: 'Annule les effets comptables du document et le comptabilise à nouveau.',
      confirmation: {
        title: 'Recomptabiliser ce document ?',
        message: 'Ses effets comptables sont annulés puis enregistrés à nouveau.',
        confirmLabel: 'Recomptabiliser',
      },
    },
    mark_for_deletion: {
      label: 'Marquer pour suppression',
      description: 'Met le document hors service. Vous pourrez le restaurer plus tard.',
      confirmation: {
        title: 'Marquer ce document pour suppression ?',
        message:
          'Le document, ses pièces jointes et ses notes sont mis hors service. Vous pourrez les restaurer plus tard.',
        confirmLabel: 'Marquer pour suppression',
      },
    },
    unmark_for_deletion: { label: 'Restaurer', description: 'Remet le document à l’état de brouillon.' },
  },
  reasons: {
    'document.not_marked_for_deletion': 'Le document n’est pas marqué pour suppression.',
    'document.marked_for_deletion': 'Le document est marqué pour suppression.',
    'document.not_posted': 'Le document n’est pas comptabilisé.',
    'document.already_posted': 'Le document est déjà comptabilisé.',
    'document.posted': 'Le document est comptabilisé.',
  },
  remedies: {
    'document.marked_for_deletion': 'Restaurez le document.',
    'document.posted': 'Décomptabilisez d’abord le document.',
  },
  definitions: {
    'work_center.object_changed': {
      name: 'Modifications des objets suivis',
      description: 'Une autre personne a travaillé sur un objet que vous suivez.',
    },
    'notes.mentioned': {
      name: 'Mentions dans les notes',
      description: 'Quelqu’un vous a mentionné dans une note.',
    },
    'work_center.task_forwarded': {
      name: 'Tâche transférée',
      description: 'Une tâche vous a été transférée, ou a été transférée à un autre utilisateur.',
    },
  },
  features: { Notes: 'Notes', Attachments: 'Pièces jointes' },
  permissions: {
    'system.attachments.read': {
      name: 'Consulter les pièces jointes',
      description: 'Lister et télécharger les pièces jointes des objets que l’utilisateur peut consulter.',
    },
    'system.attachments.create': {
      name: 'Ajouter des pièces jointes',
      description:
        'Joindre des fichiers aux objets que l’utilisateur peut consulter et annuler ses propres envois en cours.',
    },
    'system.attachments.delete': {
      name: 'Supprimer des pièces jointes',
      description:
        'Supprimer les pièces jointes de tous les utilisateurs. Les fichiers restent téléchargeables depuis l’historique.',
    },
    'system.notes.read': {
      name: 'Lire les notes',
      description: 'Lire les notes des objets que l’utilisateur peut consulter.',
    },
    'system.notes.create': {
      name: 'Écrire des notes',
      description: 'Ajouter des notes aux objets que l’utilisateur peut consulter.',
    },
    'system.notes.update': {
      name: 'Modifier les notes',
      description: 'Modifier le texte de toutes les notes, y compris celles d’autres utilisateurs.',
    },
    'system.notes.delete': {
      name: 'Supprimer les notes',
      description:
        'Supprimer toutes les notes, y compris celles d’autres utilisateurs. Le texte reste dans l’historique.',
    },
    'system.work_center.supervise': {
      name: 'Superviser les tâches',
      description:
        'Voir, transférer et libérer les tâches de tous les utilisateurs et désigner leurs remplaçants. N’affiche que les tâches dont l’objet est visible pour l’utilisateur.',
    },
    'system.permissions.view': {
      name: 'Voir les autorisations',
      description: 'Lister toutes les autorisations qu’un rôle peut recevoir.',
    },
    'system.roles.view': { name: 'Voir les rôles', description: 'Lister les rôles et leurs autorisations.' },
    'system.roles.manage': {
      name: 'Gérer les rôles',
      description: 'Créer, renommer, désactiver et réactiver des rôles, et modifier leurs autorisations.',
    },
    'system.users.view': {
      name: 'Voir les utilisateurs',
      description: 'Lister les utilisateurs et leurs rôles.',
    },
    'system.users.manage': {
      name: 'Gérer les utilisateurs',
      description: 'Inviter des utilisateurs, leur attribuer des rôles, les désactiver et les réactiver.',
    },
    'system.outbox.manage': {
      name: 'Gérer la boîte d’envoi',
      description: 'Voir les événements en attente et en échec, et relancer ou abandonner ces derniers.',
    },
    'system.audit.view': {
      name: 'Voir l’historique',
      description:
        'Lire l’historique de tous les objets consultables, des objets supprimés, des rôles, des utilisateurs et des événements de la boîte d’envoi.',
    },
  },
  roles: {},
  groups: {
    'Attachments & Notes': 'Pièces jointes et notes',
    'Document actions': 'Actions sur les documents',
    'Work Center': 'Espace de travail',
    'Users & Roles': 'Utilisateurs et rôles',
    Operations: 'Exploitation',
    Audit: 'Historique',
    Conversation: 'Échanges',
  },
}
