import { Command } from 'commander'
import { readConfig } from '../../src/config/config.ts'
import {
  listEffectiveSettings,
  type EffectiveSetting,
} from '../../src/config/effective-settings.ts'
import { JSON_OPTION, print, table, type PrintOptions } from '../print.ts'

const HELP = `
The source is the environment, .env in the current folder, the file in
NAME_FILE, or the default. Secrets are shown as set or not set. Exit status: 0,
or 2 if a setting is invalid.`

export const configCommand = () =>
  new Command('config')
    .option(...JSON_OPTION)
    .addHelpText('after', HELP)
    .action((options: PrintOptions) => {
      const settings = listEffectiveSettings(process.env)
      print(
        options,
        settings.map(({ name, value, isSecret, isSet, source, file }) => ({
          name,
          ...(isSecret ? { secret: true } : { value: value ?? null }),
          set: isSet,
          source,
          ...(file !== undefined && { file }),
        })),
        table([
          ['setting', 'value', 'source'],
          ...settings.map((setting) => [setting.name, shownValue(setting), shownSource(setting)]),
        ]),
      )
      // Reports invalid settings after the list that shows their sources.
      readConfig()
    })

const shownValue = ({ value, isSecret, isSet }: EffectiveSetting) =>
  isSecret && isSet ? 'set' : (value ?? 'not set')

const shownSource = ({ source, file }: EffectiveSetting) => file ?? source
