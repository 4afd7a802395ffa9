// Answers the questions of ../../run.ts, a line for each: see ../../README.md.
package main

import (
	"bufio"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	latchkey "example.com/latchkeylease"
)

func text(field string) *string {
	if field == "-" {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(field)
	if err != nil {
		panic(err)
	}
	decoded := string(data)
	return &decoded
}

func number(field string) *int64 {
	found := text(field)
	if found == nil {
		return nil
	}
	value, err := strconv.ParseInt(*found, 10, 64)
	if err != nil {
		panic(err)
	}
	return &value
}

func main() {
	input, output := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer output.Flush()
	for {
		line, err := input.ReadString('\n')
		if err == io.EOF {
			return
		}
		fields := strings.Split(strings.TrimSuffix(line, "\n"), " ")
		options := latchkey.Options{Now: *number(fields[2]), Fingerprint: text(fields[3]), DeviceKey: text(fields[4]),
			Product: number(fields[5]), Nonce: text(fields[6])}
		if revoked := text(fields[7]); revoked != nil {
			options.RevokedKeys = strings.Split(*revoked, ",")
		}
		if list := text(fields[8]); list != nil {
			options.Revocations = *list
		}
		result := latchkey.Verify(*text(fields[0]), strings.Split(*text(fields[1]), ","), options)
		code, claims := result.Code, result.Claims
		if code == "" {
			code = "-"
		}
		var features []string
		entitlements, _ := claims["ent"].([]any)
		for _, one := range entitlements {
			features = append(features, one.(string))
		}
		jti, _ := claims["jti"].(string)
		sub, _ := claims["sub"].(string)
		nonce, _ := claims["n"].(string)
		summary := strings.Join([]string{jti, sub, strings.Join(features, ","), nonce}, "\n")
		fmt.Fprintln(output, result.State, code, base64.StdEncoding.EncodeToString([]byte(summary)))
	}
}
