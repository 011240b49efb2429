import type en from '../i18n/locales/en/doctor.json'

type Key = keyof typeof en

/**
 * Codes of findings. Each has a message that says what is wrong, and one with the suffix `.fix` that says what to do.
 */
export type FindingCode = { [K in Key]: K extends `${infer Code}.fix` ? Code : never }[Key]

/** Codes of the reasons why another server cannot be used. */
export type WhyCode = { [K in Key]: K extends `why.${infer Code}` ? Code : never }[Key]

/** Names of the checks. Each has a title. */
export type CheckId = { [K in Key]: K extends `check.${infer Id}` ? Id : never }[Key]

/** A problem that a check found. */
export type Finding = {
  level: 'warning' | 'error'
  code: FindingCode
  params?: Readonly<Record<string, string | number>>
  /** Fills in `{why}` in the messages of the finding. */
  why?: WhyCode
  /** Text of another program, for the terminal only: it may name addresses inside the network. */
  detail?: string | undefined
}

export const warning = (
  code: FindingCode,
  rest: Omit<Finding, 'level' | 'code'> = {},
): Finding => ({ level: 'warning', code, ...rest })

export const fault = (code: FindingCode, rest: Omit<Finding, 'level' | 'code'> = {}): Finding => ({
  level: 'error',
  code,
  ...rest,
})

/**
 * Returns a finding if the value is at or above the first limit: a warning, or an error if it is at or above the second
 * limit.
 *
 * @returns no finding below the first limit
 */
export function graded(
  value: number,
  [warningFrom, errorFrom]: readonly [number, number],
  code: FindingCode,
  params: Finding['params'] & object,
): Finding[] {
  if (value >= errorFrom) return [fault(code, { params })]
  return value >= warningFrom ? [warning(code, { params })] : []
}
