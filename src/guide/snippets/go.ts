import { DEVICE_GRANT_TYPE, quoted, type Flow, type SnippetParts } from './parts.ts'

/** A program for Go 1.19 or newer. */
export function inGo(flow: Flow, parts: SnippetParts): string {
  const { packages, body } =
    flow === 'client-credentials'
      ? clientCredentials(parts)
      : flow === 'code'
        ? code(parts)
        : device(parts)
  const imported = new Set([
    'encoding/json',
    'fmt',
    'log',
    'net/http',
    'net/url',
    'strings',
    ...packages,
  ])
  if (parts.secret !== undefined) imported.add('os')
  return `package main

import (
${[...imported]
  .toSorted()
  .map((name) => `\t"${name}"`)
  .join('\n')}
)

const (
	issuer   = ${quoted(parts.issuer)}
	clientID = ${quoted(parts.clientId)}
)

${post(parts)}
func get(address, token string, answer any) {
	request, err := http.NewRequest("GET", address, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+token)
	send(request, answer)
}

func send(request *http.Request, answer any) {
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		log.Fatal(response.Status, ": ", err)
	}
}

type token struct {
	AccessToken string \`json:"access_token"\`
	Error       string \`json:"error"\`
	Description string \`json:"error_description"\`
}

${body}`
}

type GoProgram = { packages: string[]; body: string }

function post({ secret }: SnippetParts): string {
  const fields = {
    header: '',
    form: '\tform.Set("client_id", clientID)\n\tform.Set("client_secret", os.Getenv("CLIENT_SECRET"))\n',
    none: '\tform.Set("client_id", clientID)\n',
  }
  const header =
    secret === 'header' ? '\trequest.SetBasicAuth(clientID, os.Getenv("CLIENT_SECRET"))\n' : ''
  return `func post(path string, form url.Values, answer any) {
${fields[secret ?? 'none']}	request, err := http.NewRequest("POST", issuer+path, strings.NewReader(form.Encode()))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
${header}	send(request, answer)
}
`
}

const USERINFO = `	var me struct{ Name string }
	get(issuer+"/me", granted.AccessToken, &me)
	fmt.Println("Signed in as", me.Name)
}
`

const REFUSED = `	if granted.Error != "" {
		log.Fatal(granted.Description)
	}
`

const clientCredentials = ({ search }: SnippetParts): GoProgram => ({
  packages: [],
  body: `func main() {
	var granted token
	post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"catalog:read"}}, &granted)
${REFUSED}
	var found struct {
		Data struct {
			Items []struct {
				Type  string
				ID    int
				Title string
			}
		}
	}
	get(${quoted(search)}, granted.AccessToken, &found)
	for _, hit := range found.Data.Items {
		fmt.Println(hit.Type, hit.ID, hit.Title)
	}
}
`,
})

const code = ({ redirectUri, host, port, path }: SnippetParts): GoProgram => ({
  packages: ['crypto/rand', 'crypto/sha256', 'encoding/base64', 'net'],
  body: `func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func main() {
	const redirectURI = ${quoted(redirectUri)}
	state, verifier := random(), random()
	challenge := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"response_type":         {"code"},
		"client_id":             {clientID},
		"redirect_uri":          {redirectURI},
		"scope":                 {"openid profile"},
		"state":                 {state},
		"code_challenge":        {base64.RawURLEncoding.EncodeToString(challenge[:])},
		"code_challenge_method": {"S256"},
	}

	answers := make(chan url.Values, 1)
	http.HandleFunc(${quoted(path)}, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "Go back to the program.")
		select {
		case answers <- r.URL.Query():
		default:
		}
	})
	listener, err := net.Listen("tcp", net.JoinHostPort(${quoted(host)}, "${port}"))
	if err != nil {
		log.Fatal(err)
	}
	go http.Serve(listener, nil)
	fmt.Println("Open this address and sign in:")
	fmt.Println(issuer + "/auth?" + query.Encode())

	answer := <-answers
	if answer.Get("state") != state {
		log.Fatal("That is no answer to this question")
	}
	if answer.Has("error") {
		log.Fatal(answer.Get("error_description"))
	}

	var granted token
	post("/token", url.Values{
		"grant_type":    {"authorization_code"},
		"code":          {answer.Get("code")},
		"code_verifier": {verifier},
		"redirect_uri":  {redirectURI},
	}, &granted)
${REFUSED}${USERINFO}`,
})

const device = (_parts: SnippetParts): GoProgram => ({
  packages: ['time'],
  body: `func main() {
	var device struct {
		DeviceCode      string \`json:"device_code"\`
		UserCode        string \`json:"user_code"\`
		VerificationURI string \`json:"verification_uri"\`
		Interval        int
		Description     string \`json:"error_description"\`
	}
	post("/device/auth", url.Values{"scope": {"openid profile"}}, &device)
	if device.DeviceCode == "" {
		log.Fatal(device.Description)
	}
	fmt.Println("Open", device.VerificationURI, "and enter", device.UserCode)

	interval := 5 * time.Second
	if device.Interval > 0 {
		interval = time.Duration(device.Interval) * time.Second
	}
	granted := token{Error: "authorization_pending"}
	for granted.Error == "authorization_pending" || granted.Error == "slow_down" {
		if granted.Error == "slow_down" {
			interval += 5 * time.Second
		}
		time.Sleep(interval)
		granted = token{}
		post("/token", url.Values{
			"grant_type":  {"${DEVICE_GRANT_TYPE}"},
			"device_code": {device.DeviceCode},
		}, &granted)
	}
${REFUSED}${USERINFO}`,
})
