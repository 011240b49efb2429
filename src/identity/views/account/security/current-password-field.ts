import type { Html } from '../../../../ui/html.ts'
import type { Messages } from '../../../../ui/messages.ts'
import { field } from '../../field.ts'

/** The field `current_password`, which every change of consequence asks for. */
export const currentPasswordField = ({ account }: Messages, error?: string): Html =>
  field({
    name: 'current_password',
    label: account.currentPassword,
    type: 'password',
    hint: account.passwordWhy,
    error,
    autocomplete: 'current-password',
    required: true,
  })
