package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os"
	"strings"
)

const (
	issuer   = "http://localhost:14790/oidc"
	clientID = "mk_example"
)

func post(path string, form url.Values, answer any) {
	form.Set("client_id", clientID)                       // only client_secret_post
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

func main() {
	var granted token
	post("/token", url.Values{"grant_type": {"client_credentials"}, "scope": {"catalog:read"}}, &granted)
	if granted.Error != "" {
		log.Fatal(granted.Description)
	}

	var found struct {
		Data struct {
			Items []struct {
				Type  string
				ID    int
				Title string
			}
		}
	}
	get("http://localhost:14790/api/v3/open/search?q=clannad", granted.AccessToken, &found)
	for _, hit := range found.Data.Items {
		fmt.Println(hit.Type, hit.ID, hit.Title)
	}
}
