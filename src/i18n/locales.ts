import { readFileSync } from 'node:fs'
import type { Language } from './languages.ts'
import type { MessageTexts } from './message-tree.ts'

/** Reads one message file for a language. */
export const readLocale = (language: Language, name: string): MessageTexts =>
  // as: the file is part of the program, and a test parses every message
  JSON.parse(
    readFileSync(new URL(`locales/${language}/${name}.json`, import.meta.url), 'utf8'),
  ) as MessageTexts
