import type { Checked, FieldFault } from '../../accounts/profile/profile-rules.ts'
import type { Messages } from '../../ui/messages.ts'

/** Returns the error for a sign-up field in the user's language; undefined if the field is valid. */
export function faultText(
  { signUpFaults }: Messages,
  { fault }: Checked<string>,
): string | undefined {
  const texts: Partial<Record<FieldFault['code'], string>> = signUpFaults
  return fault && (texts[fault.code] ?? fault.code)
}
