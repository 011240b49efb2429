package main

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os" // only client_secret_basic, client_secret_post
	"strings"
)

const (
	issuer   = "http://localhost:14790/oidc"
	clientID = "mk_example"
)

func post(path string, form url.Values, answer any) {
	form.Set("client_id", clientID)                       // only client_secret_post, none
	form.Set("client_secret", os.Getenv("CLIENT_SECRET")) // only client_secret_post
	request, err := http.NewRequest("POST", issuer+path, strings.NewReader(form.Encode()))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(clientID, os.Getenv("CLIENT_SECRET")) // only client_secret_basic
	send(request, answer)
}

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
	AccessToken string `json:"access_token"`
	Error       string `json:"error"`
	Description string `json:"error_description"`
}

func random() string {
	bytes := make([]byte, 32)
	if _, err := rand.Read(bytes); err != nil {
		log.Fatal(err)
	}
	return base64.RawURLEncoding.EncodeToString(bytes)
}

func main() {
	const redirectURI = "http://127.0.0.1:8976/callback"
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
	http.HandleFunc("/callback", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintln(w, "Go back to the program.")
		select {
		case answers <- r.URL.Query():
		default:
		}
	})
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", "8976"))
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
	if granted.Error != "" {
		log.Fatal(granted.Description)
	}
	var me struct{ Name string }
	get(issuer+"/me", granted.AccessToken, &me)
	fmt.Println("Signed in as", me.Name)
}
