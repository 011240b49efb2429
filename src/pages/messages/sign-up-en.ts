import { counted, duration } from './duration.ts'

/** The words of signing up and of a forgotten password. */
export const signUpEn = {
  signUp: {
    title: 'Create an account',
    email: 'Email address',
    emailHint: 'We send a link to it. Nobody else gets to see it unless you allow it.',
    name: 'Name',
    nameHint: 'What you want to be called. You can change it later.',
    password: 'Password',
    passwordHint: 'At least 8 characters. A few words in a row are good and easy to remember.',
    submit: 'Create account',
    haveOne: 'Have an account already?',
    signIn: 'Sign in',
  },
  /** What is wrong with a field, by the code of the rule. */
  signUpFaults: {
    email_invalid: 'This is not an email address. It should look like name@example.com.',
    name_invalid: 'Enter a name of at most 64 characters, on one line.',
    password_too_short: 'Too short: at least 8 characters, please.',
    password_too_long: 'Too long: at most 1000 characters, please.',
    password_is_email: 'Your email address would be guessed first. Choose something else.',
    password_common: 'This password is one of those that are guessed first. Choose another.',
  },
  mailSent: {
    title: 'Check your mail',
    /** Shown on a server that only its own machine can reach. */
    local: (folder: string) =>
      `This server sends no mail because SMTP_URL is not set. Find the mail in ${folder}, or its link in the log.`,
    signUp: (email: string) => `We have sent a mail to ${email}. Follow the link in it to finish.`,
    reset: (email: string) =>
      `If there is an account with ${email}, a mail is on its way to it. Follow the link in it to choose a new password.`,
    sameBrowser: 'It is easiest to open the link in this browser. It works once, for 30 minutes.',
    nothing: 'Nothing came? Look among the spam, and check the address.',
    again: 'Ask for another mail',
    tooMany: (minutes: number) =>
      `Too many mails were asked for from your network. Try again in ${counted(minutes, 'minute')}.`,
  },
  signUpConfirm: {
    title: 'One last step',
    text: (email: string) => `Create your mokuroku account with ${email}?`,
    otherBrowser: 'You did not begin in this browser. To be sure that it was you, we ask for your password.',
    password: 'The password you chose',
    submit: 'Create my account',
    wrong: 'That is not the password that was chosen when this account was asked for.',
    wait: (seconds: number) => `There were too many attempts. Try again in ${duration.en(seconds)}.`,
    notYou: 'You did not ask for this account? Close this page: nothing happens.',
    existsTitle: 'You have an account already',
    exists: 'There is an account with this address by now. Sign in with it.',
    signIn: 'Sign in',
  },
  linkGone: {
    title: 'This link no longer works',
    text: 'It was used already, or is older than 30 minutes.',
    signUp: 'Sign up again',
    reset: 'Ask for a new link',
    signIn: 'Sign in',
  },
  forgottenPassword: {
    title: 'Forgotten your password?',
    text: 'Tell us the address of your account, and we send you a link to choose a new one.',
    email: 'Email address',
    submit: 'Send me a link',
    signIn: 'Back to signing in',
  },
  resetPassword: {
    title: 'Choose a new password',
    text: 'You will be signed out everywhere else.',
    password: 'New password',
    disconnectApps: 'Disconnect all apps',
    disconnectHint:
      'They lose their access at once and have to ask you again. Tick it when somebody else may have been in your account.',
    submit: 'Save the password',
    done: 'Your password has been changed. Sign in with it now.',
  },
}

export type SignUpMessages = typeof signUpEn
