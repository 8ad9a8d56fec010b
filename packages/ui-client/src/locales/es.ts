import type { Texts } from '../elements/texts.ts'
import { administration } from './es/administration.ts'
import { attachments, notes } from './es/content.ts'
import { actions, audit, live } from './es/documents.ts'
import { errors } from './es/errors.ts'
import { items, service } from './es/service.ts'
import { team, workCenter } from './es/work-center.ts'

/** The Spanish texts of all elements. */
export const es: Texts = {
  locale: 'es',
  common: {
    cancel: 'Cancelar',
    close: 'Cerrar',
    delete: 'Eliminar',
    loading: 'Cargando…',
    retry: 'Intentar de nuevo',
    showMore: 'Mostrar más',
    loadFailed: 'No se ha podido cargar este contenido.',
    moreFailed: 'No se han podido cargar más elementos.',
    requestId: (id) =>
      `Si contacta con el servicio de asistencia, indique este identificador de solicitud: ${id}`,
  },
  feedback: {
    title: 'Mensajes',
    undo: 'Deshacer',
    undoOf: (text) => `Deshacer: ${text}`,
    dismissOf: (text) => `Cerrar: ${text}`,
    hint: 'Pulse F8 y después Intro para deshacer.',
  },
  preferences: {
    title: 'Preferencias de notificación',
    task: 'Tarea',
    notification: 'Notificación',
    mandatory: 'No se puede desactivar.',
    empty: 'No tiene preferencias de notificación.',
    emptyHint: 'Ninguno de sus roles recibe tareas o notificaciones.',
    saving: 'Guardando…',
    inApp: 'En la aplicación',
    byMail: 'Por correo',
    mails: 'Correos',
    delivery: 'Envío de los correos',
    immediately: 'De inmediato',
    daily: 'Una vez al día',
    dailyHour: 'Hora del correo diario',
    timeZone: (name) => `Zona horaria: ${name}`,
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
