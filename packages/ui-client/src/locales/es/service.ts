import type { Texts } from '../../elements/texts.ts'

/** The titles of the kit's own notifications. */
export const items: Texts['items'] = {
  'work_center.object_changed': ({ actor = '', title = '' }) => `${actor} ha trabajado en ${title}`,
  'notes.mentioned': ({ actor = '', title = '' }) => `${actor} le ha mencionado en ${title}`,
  'work_center.task_forwarded.to_reader': ({ actor = '', title = '' }) =>
    `${title}: ${actor} le ha reenviado la tarea`,
  'work_center.task_forwarded.to_role': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: ${actor} ha reenviado la tarea al rol ${recipient}`,
  'work_center.task_forwarded.from_reader': ({ actor = '', title = '', recipient = '' }) =>
    `${title}: ${actor} ha reenviado la tarea a ${recipient}`,
}

/** The texts for the codes of the kit. */
export const service: Texts['service'] = {
  actions: {
    post: { label: 'Contabilizar', description: 'Contabiliza el documento.' },
    unpost: {
      label: 'Anular contabilización',
      description: 'Anula la contabilización del documento para que se pueda editar.',
      confirmation: {
        title: '¿Anular la contabilización de este documento?',
        message: 'Sus efectos contables se revierten. Vuelve a ser un borrador.',
        confirmLabel: 'Anular contabilización',
      },
    },
    repost: {
      label: 'Contabilizar de nuevo',
      description: 'Revierte los efectos contables del documento y lo contabiliza de nuevo.',
      confirmation: {
        title: '¿Contabilizar de nuevo este documento?',
        message: 'Sus efectos contables se revierten y se registran de nuevo.',
        confirmLabel: 'Contabilizar de nuevo',
      },
    },
    mark_for_deletion: {
      label: 'Marcar para eliminación',
      description: 'Retira el documento del uso. Podrá restaurarlo más tarde.',
      confirmation: {
        title: '¿Marcar este documento para eliminación?',
        message:
          'El documento, sus archivos adjuntos y sus notas se retiran del uso. Podrá restaurarlos más tarde.',
        confirmLabel: 'Marcar para eliminación',
      },
    },
    unmark_for_deletion: {
      label: 'Restaurar',
      description: 'Convierte el documento de nuevo en un borrador.',
    },
  },
  reasons: {
    'document.not_marked_for_deletion': 'El documento no está marcado para eliminación.',
    'document.marked_for_deletion': 'El documento está marcado para eliminación.',
    'document.not_posted': 'El documento no está contabilizado.',
    'document.already_posted': 'El documento ya está contabilizado.',
    'document.posted': 'El documento está contabilizado.',
  },
  remedies: {
    'document.marked_for_deletion': 'Restaure el documento.',
    'document.posted': 'Anule primero la contabilización.',
  },
  definitions: {
    'work_center.object_changed': {
      name: 'Cambios en objetos seguidos',
      description: 'Otra persona ha trabajado en un objeto que usted sigue.',
    },
    'notes.mentioned': {
      name: 'Menciones en notas',
      description: 'Alguien le ha mencionado en una nota.',
    },
    'work_center.task_forwarded': {
      name: 'Tarea reenviada',
      description: 'Se ha reenviado una tarea a usted o a otro usuario.',
    },
  },
  features: { Notes: 'Notas', Attachments: 'Archivos adjuntos' },
  permissions: {
    'system.attachments.read': {
      name: 'Leer archivos adjuntos',
      description: 'Ver y descargar los archivos adjuntos de los objetos que el usuario puede leer.',
    },
    'system.attachments.create': {
      name: 'Subir archivos adjuntos',
      description:
        'Subir archivos a los objetos que el usuario puede leer y cancelar sus propias subidas en curso.',
    },
    'system.attachments.delete': {
      name: 'Eliminar archivos adjuntos',
      description:
        'Eliminar archivos adjuntos de cualquier usuario. Se pueden seguir descargando desde el historial.',
    },
    'system.notes.read': {
      name: 'Leer notas',
      description: 'Leer las notas de los objetos que el usuario puede leer.',
    },
    'system.notes.create': {
      name: 'Escribir notas',
      description: 'Añadir notas a los objetos que el usuario puede leer.',
    },
    'system.notes.update': {
      name: 'Editar notas',
      description: 'Cambiar el texto de cualquier nota, también de otros usuarios.',
    },
    'system.notes.delete': {
      name: 'Eliminar notas',
      description: 'Eliminar cualquier nota, también de otros usuarios. El texto permanece en el historial.',
    },
    'system.work_center.supervise': {
      name: 'Supervisar tareas',
      description:
        'Ver, reenviar y liberar las tareas de todos los usuarios y nombrar a sus sustitutos. Solo muestra tareas cuyo objeto puede ver el usuario.',
    },
    'system.permissions.view': {
      name: 'Ver permisos',
      description: 'Ver todos los permisos que puede conceder un rol.',
    },
    'system.roles.view': { name: 'Ver roles', description: 'Ver los roles y lo que conceden.' },
    'system.roles.manage': {
      name: 'Gestionar roles',
      description: 'Crear, renombrar, desactivar y reactivar roles, y cambiar lo que conceden.',
    },
    'system.users.view': { name: 'Ver usuarios', description: 'Ver los usuarios y sus roles.' },
    'system.users.manage': {
      name: 'Gestionar usuarios',
      description: 'Invitar a usuarios, asignarles roles, desactivarlos y reactivarlos.',
    },
    'system.outbox.manage': {
      name: 'Gestionar la bandeja de salida',
      description: 'Ver los eventos pendientes y con error, y reintentar o descartar estos últimos.',
    },
    'system.audit.view': {
      name: 'Ver el historial',
      description:
        'Leer el historial de todos los objetos que el usuario puede leer, de objetos eliminados y de roles, usuarios y eventos de la bandeja de salida.',
    },
  },
  roles: {},
  groups: {
    'Attachments & Notes': 'Archivos adjuntos y notas',
    'Document actions': 'Acciones de documentos',
    'Work Center': 'Centro de trabajo',
    'Users & Roles': 'Usuarios y roles',
    Operations: 'Operaciones',
    Audit: 'Historial',
    Conversation: 'Conversación',
  },
}
