import type { UpstreamProvider } from '../../config/config.ts'
import { html, type Html } from '../../ui/html.ts'
import { withInteraction } from '../browser/interaction.ts'
import type { FormPage } from './form-parts.ts'

/** Provider that a button names. */
export type ProviderButton = Pick<UpstreamProvider, 'name' | 'label'>

/**
 * Buttons that continue at other providers; nothing without providers. Each is a form.
 *
 * @param invitation code that a sign-up submits
 */
export const providerForms = (
  { messages: { signIn }, csrfField }: FormPage,
  providers: readonly ProviderButton[],
  interaction: string | undefined,
  invitation = '',
): Html | false =>
  providers.length > 0 &&
  html`<p class="or"><span>${signIn.or}</span></p>
${providers.map(
  ({
    name,
    label,
  }) => html`<form method="post" action="${withInteraction(`/sign-in/with/${name}`, interaction)}">
${csrfField()}
${invitation !== '' && html`<input type="hidden" name="invitation" value="${invitation}">`}
<div class="actions"><button class="secondary">${signIn.continueWith({ provider: label })}</button></div>
</form>
`,
)}`
