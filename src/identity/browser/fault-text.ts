import type { Checked, FieldFault } from '../../accounts/profile/profile-rules.ts'
import type { Messages } from '../../ui/messages.ts'

/** What is wrong with a field of signing up, in the reader's words; undefined: nothing. */
export function faultText(
  { signUpFaults }: Messages,
  { fault }: Checked<string>,
): string | undefined {
  const words: Partial<Record<FieldFault['code'], string>> = signUpFaults
  return fault && (words[fault.code] ?? fault.code)
}
