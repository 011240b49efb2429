package main

import (
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/url"
	"os" // only client_secret_basic, client_secret_post
	"strings"
	"time"
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

func main() {
	var device struct {
		DeviceCode      string `json:"device_code"`
		UserCode        string `json:"user_code"`
		VerificationURI string `json:"verification_uri"`
		Interval        int
		Description     string `json:"error_description"`
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
			"grant_type":  {"urn:ietf:params:oauth:grant-type:device_code"},
			"device_code": {device.DeviceCode},
		}, &granted)
	}
	if granted.Error != "" {
		log.Fatal(granted.Description)
	}
	var me struct{ Name string }
	get(issuer+"/me", granted.AccessToken, &me)
	fmt.Println("Signed in as", me.Name)
}
